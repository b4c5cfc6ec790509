import Domain

/// Gives teams turns at something that takes as long as others let it: some teams at a time, and each that wants another
/// turn behind all that have had none.
struct FairTurns: Sendable {
    /// One that has ended.
    ///
    /// No tuple with a `Result`: optimised, Swift 6.3 was seen to copy such a one wrongly out of a task group.
    private struct Turn: Sendable {
        let team: TeamID
        let wantsAnother: Bool
        let failure: (any Error)?
    }

    /// Teams at a time.
    let width: Int
    /// Turns of one team; what is left then is for another time.
    let turnsPerTeam: Int

    /// - Parameter turn: does some work of a team; whether it wants another turn.
    /// - Throws: the first failure, once every team had its turns: one team's trouble is not the others'.
    func give(
        to teams: [TeamID],
        _ turn: @escaping @Sendable (TeamID) async throws -> Bool
    ) async throws {
        var waiting = teams[...]
        var turns: [TeamID: Int] = [:]
        var failure: (any Error)?
        await withTaskGroup(of: Turn.self) { group in
            var underWay = 0
            while underWay > 0 || !waiting.isEmpty {
                while underWay < width, let team = waiting.popFirst() {
                    underWay += 1
                    group.addTask {
                        do {
                            return Turn(team: team, wantsAnother: try await turn(team), failure: nil)
                        } catch {
                            return Turn(team: team, wantsAnother: false, failure: error)
                        }
                    }
                }
                guard let ended = await group.next() else { return }
                underWay -= 1
                turns[ended.team, default: 0] += 1
                failure = failure ?? ended.failure
                if ended.wantsAnother, turns[ended.team, default: 0] < turnsPerTeam {
                    waiting.append(ended.team)
                }
            }
        }
        if let failure { throw failure }
    }
}
