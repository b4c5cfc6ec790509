import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Somebody who is suspended once their sign-in at Apple was let through, and before it has its answer.
@Suite(.apple) struct `V54: A suspension in the moment of a sign-in at Apple` {
    private static let rita = Performer.regular.subject.rawValue
    private static let suspension: (String, [String?]) = (
        "UPDATE users SET suspended_at = now() WHERE team_id = 'ACMETEAM01' AND sub = $1", [rita]
    )

    /// Apple's token is not lost: it is given back with the account.
    private func expectNothing() throws {
        let codes = "SELECT FROM authorization_codes WHERE team_id = 'ACMETEAM01' AND redeemed_at IS NULL"
        #expect(try site.admin(codes).isEmpty)
        #expect(try site.actions().count { $0 == "sign_in.completed" } == 1)
        #expect(try site.tokenStates() == ["live", "live"])
    }

    @Test func `lets nobody in, in the browser`() async throws {
        _ = try site.tokens()
        let browser = site.browser()
        let page = try browser.choose(.regular, on: try browser.goToApple())
        let back = try browser.postBack(page)
        let exchange = try await site.teams.hold(
            Self.rita, while: { try browser.set(out: back) }, then: [Self.suspension])
        let answer = try exchange.answer()
        #expect(answer.status == 400)
        #expect(answer.value(of: "code") == nil && answer.value(of: "id_token") == nil)
        try expectNothing()
    }

    @Test func `gives a native app no token`() async throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        let given = try site.device(.regular).filter { ["client_id", "code", "identity_token"].contains($0.key) }
        let exchange = try await site.teams.hold(
            Self.rita, while: { try site.setOut("/t/ACMETEAM01/auth/native", given) }, then: [Self.suspension])
        let answer = try exchange.answer()
        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
        #expect(answer.json["id_token"] == nil)
        try expectNothing()
    }
}
