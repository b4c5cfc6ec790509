import Bytes
import Domain
import Testing

@testable import Directory

/// Turns at a server of nobody's, which are given out and kept.
@Suite struct `Turns at a server` {
    @Test func `V47: those that are too many for a server get turns in a line, each team in its own`() async throws {
        let (own, all) = try (
            #require(Sending.notification.perRecipient), #require(Sending.notification.perServerOverTeams)
        )
        try await withEnvironment { environment in
            let limits = SendingLimits(LimitStore(environment.database))
            func turn(_ host: String, in team: TeamID = .acme) async throws -> Duration {
                try await limits.turn(of: .notification, at: host, in: team, at: TestEnvironment.noon)
                    - TestEnvironment.noon
            }
            var waits: [Duration] = []
            for _ in 0...(2 * own.count) { waits.append(try await turn("victim.example")) }
            #expect(waits[...own.count].allSatisfy { $0 == .zero })
            #expect(waits[own.count + 1] == own.window / own.count && waits.last == own.window)
            #expect(try await turn("Victim.example", in: .rival) == .zero)
            // Many teams together; those who wait for their own turn take nothing of it.
            var admitted = 0
            for _ in 0..<(all.count + 5) {
                let wait = try await limits.charge(
                    .notification, ofAllTeamsAt: "victim.example", at: TestEnvironment.noon)
                if wait == nil { admitted += 1 }
            }
            #expect(admitted == all.count)
        }
    }
}
