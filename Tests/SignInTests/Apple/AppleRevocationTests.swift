import Core
import EventLoop
import Platform
import Postgres
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What Apple gave is given back: one call for each token, whatever dies or refuses meanwhile, with one receipt.
@Suite(.apple) struct `Revocation at Apple` {
    static let rita = Performer.regular.subject.rawValue

    @Test func `follows the deletion of an account, and the receipt names each token to the end`() async throws {
        _ = try site.tokens()
        _ = try site.tokens()
        let answer = try site.client("delete-account", ["sub": Self.rita])
        #expect(answer.status == 202)
        #expect(try site.tokenStates() == ["ending", "ending"])
        let url = try #require(answer.json["receipt_url"]?.string)
        let path = String(url.dropFirst(TestTeams.publicURL.utf8.count))
        #expect(try site.ask("GET", path).json["status"] == "pending")
        #expect(try Self.fates(path) == ["revoked", "revoked", "apple pending", "apple pending"])

        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }

        #expect(try site.ask("GET", path).json["status"] == "done")
        #expect(try Self.fates(path) == ["revoked", "revoked", "apple revoked", "apple revoked"])
        #expect(try site.receipts() == ["upstream_token.revoked", "upstream_token.revoked"])
        let rest = try site.admin("SELECT DISTINCT length(token_sealed)::text FROM upstream_tokens")
        #expect(rest == [["0"]])
        // At Apple the app has left the person's list: they would be asked again.
        #expect(try Self.consentsAtApple() == 0)
    }

    private static func fates(_ path: String) throws -> [String] {
        try tokens(path).map { token in
            [token["provider"]?.string, token["fate"]?.string].compactMap { $0 }.joined(separator: " ")
        }
    }

    private static func tokens(_ path: String) throws -> [JSONValue] {
        guard case .array(let tokens) = try site.ask("GET", path).json["tokens"] else { return [] }
        return tokens
    }

    private static func consentsAtApple() throws -> Int { try site.count("consents", in: .appleSide) }

    @Test func `follows our own revocation, and the next sign-in is a first one again`() async throws {
        let token = try site.tokens()
        #expect(try site.client("revoke", ["token": token]).status == 200)
        try await site.work { try site.tokenStates() == ["revoked"] }

        let exit = try site.browser().signInAtApple(.regular)
        #expect(exit.value(of: "user")?.contains("Rita") == true)
        #expect(try site.claims(of: exit)["sub"]?.string == Self.rita)
        #expect(try Set(site.tokenStates()) == ["revoked", "live"])
    }

    @Test func `follows the sign-out that ends the last session, not one before it`() async throws {
        let (first, second) = (try site.tokens(), try site.tokens())
        _ = try site.client("sign-out", ["sub": Self.rita, "refresh_token": first])
        #expect(try site.tokenStates() == ["live", "live"])
        _ = try site.client("sign-out", ["sub": Self.rita, "refresh_token": second])
        #expect(try site.tokenStates() == ["ending", "ending"])
        _ = try site.client("sign-out", ["sub": Self.rita])
        #expect(try site.admin("SELECT FROM jobs WHERE kind = 'upstream.revocation'").count == 2)
        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
    }

    @Test func `of two sign-outs at once that end the last two sessions, one is the last`() async throws {
        for round in 1...5 {
            let tokens = [try site.tokens(), try site.tokens()]
            let secret = try site.teams.secret(of: .web)
            let form = ["client_id": ClientID.web.rawValue, "client_secret": secret, "sub": Self.rita]
            let exchanges = try tokens.map { token in
                try site.setOut("/t/ACMETEAM01/auth/sign-out", form.merging(["refresh_token": token]) { $1 })
            }
            for exchange in exchanges { #expect(try exchange.answer().status == 200) }
            let ending = try site.tokenStates().filter { $0 == "ending" }
            #expect(ending.count == 2 * round)
        }
    }

    @Test func `waits for a session that is about to begin`() throws {
        let token = try site.tokens()
        let exit = try site.browser().signInAtApple(.regular)
        _ = try site.client("sign-out", ["sub": Self.rita, "refresh_token": token])
        #expect(try site.tokenStates() == ["live", "live"])
        #expect(try site.claims(of: exit)["sub"] != nil)
    }

    @Test(arguments: [Fault.trouble, .broken, .throttled]) func `is tried again after trouble, with one receipt`(
        _ fault: Fault
    ) async throws {
        _ = try site.client("revoke", ["token": try site.tokens()])
        site.script.set(fault, at: .revocation)
        try await site.work { try site.tokenStates() == ["revoked"] }
        #expect(try site.receipts() == ["upstream_token.revoked"])
        #expect(try site.admin("SELECT attempts::text, state FROM jobs") == [["2", "succeeded"]])
    }

    @Test func `that Apple refuses to the last interaction is given up, and why is kept and told`() async throws {
        _ = try site.tokens()
        let answer = try site.client("delete-account", ["sub": Self.rita])
        site.script.set(.unknownClient, at: .revocation, times: .max)
        try site.makeJobsDue(afterAttempts: 18)
        try await site.work { try site.tokenStates() == ["refused"] }

        #expect(try site.receipts() == ["upstream_token.not_revoked"])
        #expect(try site.admin("SELECT problem FROM upstream_tokens") == [["client"]])
        let receipt = try #require(answer.json["receipt"]?.string)
        let token = try Self.tokens("/t/ACMETEAM01/auth/receipts/\(receipt)").last
        #expect(token?["fate"] == "refused" && token?["problem"] == "client")
    }

    @Test func `is given up at once where the group is not connected any more`() async throws {
        _ = try site.client("revoke", ["token": try site.tokens()])
        try site.admin("DELETE FROM apple_connections")
        try await site.work { try site.tokenStates() == ["refused"] }
        #expect(try site.admin("SELECT problem FROM upstream_tokens") == [["unconnected"]])
        #expect(try site.admin("SELECT attempts::text, state FROM jobs") == [["1", "dead"]])
    }

    @Test func `goes on where people may not sign in at Apple any more`() async throws {
        _ = try site.client("revoke", ["token": try site.tokens()])
        try site.setIdentitySources("directory")
        try await site.work { try site.tokenStates() == ["revoked"] }
    }

    @Test func `touches nobody of another team, and another team cannot see it`() async throws {
        let token = try site.tokens()
        try site.copyTokensToRival()
        _ = try site.client("revoke", ["token": token])
        let states = try site.admin("SELECT team_id, state FROM upstream_tokens ORDER BY 1")
        #expect(states == [["ACMETEAM01", "ending"], ["RIVALTEAM1", "live"]])
        let database = site.teams.database
        let seen = try await site.teams.loop.run {
            try await database.query("SELECT FROM upstream_tokens WHERE state = 'ending'", in: .rival).isEmpty
        }
        #expect(seen)
    }
}
