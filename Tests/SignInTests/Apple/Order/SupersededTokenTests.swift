import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Revocations that wait in the outbox while the person comes again.
@Suite struct `A revocation that waited` {
    private static let rita = Performer.regular.subject.rawValue
    private static let consents = "SELECT FROM consents WHERE team_id = 'APPLESIM00'"

    @Test(.apple) func `S35: is settled without a call once the person has signed in again`() async throws {
        _ = try site.tokens()
        #expect(try site.client("sign-out", ["sub": Self.rita]).status == 200)
        site.script.set(.trouble, at: .revocation)
        try await site.workInVain()
        site.clock.advance(by: .seconds(3600))
        let token = try site.tokens()
        try await site.work { try site.tokenStates() == ["revoked", "live"] }

        #expect(try site.receipts() == ["upstream_token.superseded"])
        #expect(try site.admin(Self.consents).count == 1)
        site.clock.advance(by: .seconds(2 * 86_400))
        try await site.withProcess { process in
            try await process.validate()
            let asked = "SELECT FROM upstream_tokens WHERE validated_at IS NOT NULL"
            try await site.wait { try site.admin(asked).count == 1 }
        }
        #expect(try site.isAlive(token) && site.tokenStates() == ["revoked", "live"])
        // The last one ends both there.
        #expect(try site.client("sign-out", ["sub": Self.rita]).status == 200)
        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
        #expect(try site.receipts().last == "upstream_token.revoked")
        #expect(try site.admin(Self.consents).isEmpty)
    }

    /// How an account at Apple comes back as somebody else's here.
    enum Return: CaseIterable, Sendable {
        /// The person whom Apple made is deleted, and connects the account to the directory's.
        case connected
        /// Somebody of the directory disconnects it, and it makes a person of its own.
        case newcomer
    }

    @Test(.notifications, arguments: Return.allCases)
    func `V53: is settled without a call once the account there is back as somebody else's`(_ way: Return) async throws
    {
        let browser = try site.signedIn()
        switch way {
        case .connected:
            _ = try site.tokens()
            #expect(try site.client("delete-account", ["sub": Self.rita]).status == 202)
        case .newcomer:
            try browser.connect(.regular)
            #expect(try browser.disconnect().status == 303)
        }
        site.script.set(.trouble, at: .revocation)
        try await site.workInVain()
        site.clock.advance(by: .seconds(60))
        if way == .connected { try browser.connect(.regular) }
        let token = try site.tokens()
        site.clock.advance(by: .seconds(60))
        let ending = "SELECT FROM upstream_tokens WHERE state = 'ending'"
        try await site.work { try site.admin(ending).isEmpty }

        #expect(try site.receipts() == ["upstream_token.superseded"])
        #expect(try site.admin(Self.consents).count == 1)
        #expect(try site.isAlive(token))
    }

    @Test(.notifications) func `V53: is not taken for made where Apple tells of another account`() throws {
        for fact in ["consent-revoked", "account-delete"] {
            let browser = try site.connected(.regular)
            _ = try browser.disconnect()
            try browser.connect(.hidden)
            site.clock.advance(by: .seconds(60))
            #expect(try site.notification(site.event(fact, of: .hidden), id: fact).status == 200)
            let state = "SELECT DISTINCT state FROM upstream_tokens WHERE identifier = $1"
            #expect(try site.admin(state, Self.rita) == [["ending"]], "\(fact)")
            #expect(try site.admin(state, Performer.hidden.subject.rawValue) == [["revoked"]])
            try site.admin("DELETE FROM upstream_tokens")
            try site.admin("DELETE FROM upstream_identities")
        }
    }

    @Test(.apple) func `S35: says so on the receipt of a deleted person who came back`() async throws {
        _ = try site.tokens()
        let answer = try site.client("delete-account", ["sub": Self.rita])
        let url = try #require(answer.json["receipt_url"]?.string)
        site.clock.advance(by: .seconds(1))  // tells the newer token from the older one
        let token = try site.tokens()
        try await site.work { try site.tokenStates() == ["revoked", "live"] }

        let receipt = try site.ask("GET", String(url.dropFirst(TestTeams.publicURL.utf8.count))).json
        #expect(receipt["status"] == "done")
        guard case .array(let tokens) = receipt["tokens"] else { throw TestFailure("no tokens") }
        #expect(tokens.last?["fate"] == "superseded" && tokens.last?["provider"] == "apple")
        #expect(try site.isAlive(token))
    }

    @Test(.apple) func `S35: is called for where the newer token is another account's at Apple`() async throws {
        let browser = try site.connected(.regular)
        _ = try browser.disconnect()
        site.clock.advance(by: .seconds(1))
        try browser.connect(.hidden)
        try await site.work { try site.tokenStates() == ["revoked", "live"] }
        #expect(try site.receipts() == ["upstream_token.revoked"])
    }

    @Test(.apple) func `S35, V54: looks for the newer token once nobody signs the person in`() async throws {
        _ = try site.tokens()
        #expect(try site.client("sign-out", ["sub": Self.rita]).status == 200)
        let signIn: (String, [String?]) = (
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at,
                validate_at
            )
            SELECT team_id, '\\x00', provider, sub, identifier, app_id, client_id, '', created_at + interval '1 s',
                validate_at
            FROM upstream_tokens
            """, []
        )
        let process = try await site.teams.hold(
            Self.rita, while: { Task { try await AppleProcess(beside: site) } }, then: [signIn])
        try await site.wait { try site.receipts() == ["upstream_token.superseded"] }
        try await process.value.stop()
        #expect(try site.admin(Self.consents).count == 1)
    }
}
