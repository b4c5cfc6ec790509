import Platform

/// A scheduler that gives teams turns at work of unknown duration.
///
/// `width` teams have a turn at a time; a team that wants another turn waits behind all teams that had none.
struct FairScheduler: Sendable {
    /// A turn that has ended.
    ///
    /// Not a tuple with a `Result`, because optimized Swift 6.3 code copied such a tuple wrongly out of a task group.
    private struct Turn: Sendable {
        let team: TeamID
        let wantsAnother: Bool
        let failure: (any Error)?
    }

    /// Number of teams at a time.
    let width: Int
    /// Maximum number of turns per team; remaining work is left for another run.
    let turnsPerTeam: Int

    /// - Parameter turn: does some work of a team; returns whether the team wants another turn.
    /// - Throws: the first error, after all turns: an error of one team does not end the turns of the others.
    func give(to teams: [TeamID], _ turn: @escaping @Sendable (TeamID) async throws -> Bool) async throws {
        var waiting = teams[...]
        var turns: [TeamID: Int] = [:]
        var failure: (any Error)?
        await withTaskGroup(of: Turn.self) { group in
            var underWay = 0
            while underWay > 0 || !waiting.isEmpty {
                while underWay < width, let team = waiting.popFirst() {
                    underWay += 1
                    group.addTask {
                        do { return Turn(team: team, wantsAnother: try await turn(team), failure: nil) } catch {
                            return Turn(team: team, wantsAnother: false, failure: error)
                        }
                    }
                }
                guard let ended = await group.next() else { return }
                underWay -= 1
                turns[ended.team, default: 0] += 1
                failure = failure ?? ended.failure
                if ended.wantsAnother, turns[ended.team, default: 0] < turnsPerTeam { waiting.append(ended.team) }
            }
        }
        if let failure { throw failure }
    }
}
