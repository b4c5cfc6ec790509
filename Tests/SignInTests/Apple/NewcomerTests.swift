import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A team whose new accounts are off, or by invitation, admits nobody new, whichever way they come.
@Suite(.apple) struct `V62: A newcomer by way of Apple` {
    private static let rita = Performer.regular.subject

    private func written() throws -> [[[String?]]] {
        try [
            "SELECT sub FROM users WHERE team_id = 'ACMETEAM01' ORDER BY sub", "SELECT sub FROM upstream_identities",
            "SELECT sub FROM consents WHERE team_id = 'ACMETEAM01'", "SELECT sub FROM upstream_announcements",
            "SELECT sub FROM refresh_tokens WHERE team_id = 'ACMETEAM01'",
        ].map { try site.admin($0) }
    }

    /// The answer at one of the ways in, which Apple takes no time over.
    private func come(_ door: `V58: A proof from before an end`.Door) throws -> Answer { try door.setOut().answer() }

    @Test(arguments: ["off", "invitation"], `V58: A proof from before an end`.Door.allCases)
    func `is refused before anything is written, where new accounts are not open`(
        _ policy: String, _ door: `V58: A proof from before an end`.Door
    ) throws {
        try site.setRegistration(policy)
        // Invited by the same address, which is no proof.
        try site.admin(
            """
            INSERT INTO login_names (team_id, login, sub) VALUES ('ACMETEAM01', 'rita@icloud.example', $1)
            """, site.ada)
        let before = try written()
        let calls = site.calls(to: .token)

        let answer = try come(door)

        switch door {
        case .browser, .ownPage:
            #expect(answer.status == 403 && answer.body.contains("New accounts are closed"))
            #expect(answer.value(of: "code") == nil)
        case .nativeCode, .repeated, .nativeToken, .backend:
            #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
        }
        #expect(try written() == before)
        // Where the answer says who it is, no code is spent; a token that was given out for one goes back.
        let isSpent = [.nativeCode, .repeated, .backend].contains(door)
        #expect(site.calls(to: .token) == calls + (isSpent ? 1 : 0))
        #expect(try site.tokenStates() == (isSpent ? ["ending"] : []))
        #expect(site.lines.all.contains { $0.contains("registration_closed") } || isSpent || door == .nativeToken)

        // Another team's setting is its own, and an open team admits them.
        try site.setRegistration("open")
        try site.setRegistration("off", of: .rival)
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(arguments: ["off", "invitation"]) func `is nobody of an answer that no browser came for`(_ policy: String)
        async throws
    {
        try site.setRegistration(policy)
        let before = try written()
        _ = try site.browser().signInUntilBack()
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try written() == before)
        #expect(try site.admin("SELECT FROM upstream_requests WHERE settled_at IS NULL").isEmpty)
    }

    @Test(arguments: `V58: A proof from before an end`.Door.allCases)
    func `is none who was here before, or was imported`(_ door: `V58: A proof from before an end`.Door) throws {
        try site.admin("INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', $1)", Self.rita.rawValue)
        for policy in ["off", "invitation"] {
            try site.setRegistration(policy)
            let answer = try come(door)
            #expect([200, 303].contains(answer.status), "\(policy): \(answer.text)")
        }
        #expect(try site.people() == [Self.rita.rawValue])
        // Who stopped using the app is known still; who was deleted is new.
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        try site.removePerson(Self.rita)
        #expect(try site.handOver(try site.device(.regular)).json["error"] == "invalid_grant")
    }

    @Test func `is none who has an account here and connects Apple to it, as an invited person does`() throws {
        try site.setRegistration("invitation")
        let own = try site.signedIn()
        #expect(try own.connect(.regular).body.contains("Apple is connected"))
        #expect(try site.browser().signInAtApple(.regular).value(of: "code") != nil)
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        #expect(try site.identities() == [[Self.rita.rawValue, site.ada]])
    }
}
