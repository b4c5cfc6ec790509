import Domain
import EventLoop
import Synchronization
import Testing

@testable import Registry

@Suite struct `Teams whose domains are looked at` {
    private static func team(_ number: Int) throws -> TeamID { try #require(TeamID(rawValue: "TEAM00000\(number)")) }

    @Test func `S22, V43: wait for no domain of another that never answers`() async throws {
        let (slow, quick) = (try Self.team(0), try (1...9).map(Self.team))
        let others = Others(count: quick.count)

        // The slow one's turn ends only after all others have had theirs: one after the other, nobody would.
        try await FairScheduler(width: 2, turnsPerTeam: 12).give(to: [slow] + quick) { team in
            if team == slow { await others.allServed() } else { others.serve(team) }
            return false
        }

        #expect(others.served == quick)
    }

    @Test func `S22, V43: have their next turn behind all that had none, and no more than is fair`() async throws {
        let teams = try (0...3).map(Self.team)
        let order = Mutex<[TeamID]>([])

        try await FairScheduler(width: 1, turnsPerTeam: 3).give(to: teams) { team in
            order.withLock { $0.append(team) }
            return team == teams[0] || team == teams[2]
        }

        let expected = teams + [teams[0], teams[2], teams[0], teams[2]]
        #expect(order.withLock { $0 } == expected)
    }

    @Test func `S22: are each looked at, whatever happens with another`() async throws {
        struct Trouble: Error {}
        let teams = try (0...3).map(Self.team)
        let order = Mutex<[TeamID]>([])

        await #expect(throws: Trouble.self) {
            try await FairScheduler(width: 2, turnsPerTeam: 2).give(to: teams) { team in
                if team == teams[0] { throw Trouble() }
                order.withLock { $0.append(team) }
                return false
            }
        }

        #expect(order.withLock { Set($0) } == Set(teams.dropFirst()))
    }
}

/// Tells a waiting turn when all others are over.
private final class Others: Sendable {
    private struct State {
        var served: [TeamID] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let count: Int
    private let state = Mutex(State())

    init(count: Int) { self.count = count }

    var served: [TeamID] { state.withLock { $0.served } }

    func serve(_ team: TeamID) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.served.append(team)
            return state.served.count == count ? state.waiting : nil
        }
        waiting?.resume()
    }

    func allServed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.waiting = continuation
                return state.served.count == count
            }
            if isOver { continuation.resume() }
        }
    }
}
