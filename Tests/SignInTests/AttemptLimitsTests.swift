import Bytes
import Directory
import Domain
import EventLoop
import HTTP
import Testing

@testable import SignIn
@testable import TestTeams

/// How many sign-ins may be begun, by all processes together.
@Suite struct AttemptLimitsTests {
    @Test func `two processes count together, each within its share`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let processes = [AttemptLimits(perAddress: 64), AttemptLimits(perAddress: 64)]
            let address = try #require(IPAddress("203.0.113.7"))
            var admitted = 0
            for turn in 0..<200 {
                let limits = processes[turn % 2]
                if try await Self.admit(limits, address, store, teams) { admitted += 1 }
            }
            // A thirty-second of the limit is counted by each process before the others know of it.
            #expect((64...68).contains(admitted))
        }
    }

    @Test func `an address beyond its limit costs its team nothing, and a new minute begins anew`()
        async throws
    {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = AttemptLimits(perAddress: 2, perTeam: 5)
            let one = try #require(IPAddress("203.0.113.7"))
            let two = try #require(IPAddress("2001:db8::1"))
            let neighbour = try #require(IPAddress("2001:db8::ffff"))
            var answers: [Bool] = []
            for address in [one, one, one, two, neighbour, two] {
                answers.append(try await Self.admit(limits, address, store, teams))
            }
            #expect(answers == [true, true, false, true, true, false])
            let rival = try await limits.admit(one, team: .rival, counting: store, at: teams.clock.now)
            #expect(rival)
            teams.clock.advance(by: .seconds(60))
            #expect(try await Self.admit(limits, one, store, teams))
        }
    }

    @Test func `what one address is refused uses up nothing of its team's, in any process`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let processes = (1...2).map { _ in AttemptLimits(perAddress: 3, perTeam: 20) }
            let flood = try #require(IPAddress("203.0.113.7"))
            var answers: [Bool] = []
            for turn in 0..<100 {
                answers.append(try await Self.admit(processes[turn % 2], flood, store, teams))
            }
            #expect(answers.count { $0 } == 3)
            #expect(try teams.admin("SELECT count FROM limits WHERE subject = 'attempts.team'") == [["3"]])

            var others = 0
            for last in 1...20 {
                let address = try #require(IPAddress("198.51.100.\(last)"))
                if try await Self.admit(processes[last % 2], address, store, teams) { others += 1 }
            }
            #expect(others == 17)
        }
    }

    @Test func `a team has a limit of its own over all addresses`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = AttemptLimits(perAddress: 300, perTeam: 3)
            var answers: [Bool] = []
            for last in 1...4 {
                let address = try #require(IPAddress("203.0.113.\(last)"))
                answers.append(try await Self.admit(limits, address, store, teams))
            }
            #expect(answers == [true, true, true, false])
        }
    }

    private static func admit(
        _ limits: AttemptLimits,
        _ address: IPAddress,
        _ store: LimitStore,
        _ teams: TestTeams
    ) async throws -> Bool {
        try await limits.admit(address, team: .acme, counting: store, at: teams.clock.now)
    }
}
