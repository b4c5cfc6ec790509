import Crypto
import Platform
import Testing

@Suite(.environment) struct `What Apple does not take back, in the console` {
    private static let list = "/console/ACMETEAM01/apple-tokens"

    /// Somebody who came by Apple, with a token for each problem, and one that was given back.
    private func fill() throws -> String {
        let sub = "001122.0123456789abcdef0123456789abcdef.0001"
        try environment.admin(
            """
            INSERT INTO users (team_id, sub, given_name, family_name, email, is_private_email, created_at)
            VALUES ('ACMETEAM01', $1, 'Rita', 'Regular', 'x@privaterelay.appleid.com', true, now())
            """, sub)
        try environment.admin(
            """
            INSERT INTO upstream_identities (
                team_id, provider, identifier, sub, real_user_status, form_given_name, form_family_name,
                form_received_at, state_at, created_at, last_seen_at
            ) VALUES ('ACMETEAM01', 'apple', $1, $1, 2, 'Rita <b>', 'Regular', now(), now(), now(), now())
            """, sub)
        try environment.admin(
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, state,
                problem, problem_at
            )
            SELECT 'ACMETEAM01', decode(lpad(n::text, 32, '0'), 'hex'), 'apple', $1, 'com.acme.app', 'com.acme.siwa',
                ''::bytea, now(), now(), state, problem, CASE WHEN problem IS NOT NULL THEN now() END
            FROM (VALUES
                (1, 'refused', 'client'), (2, 'refused', 'unconnected'), (3, 'live', 'client'),
                (4, 'revoked', NULL)
            ) AS token (n, state, problem)
            """, sub)
        return sub
    }

    @Test func `V43: is known to the list of people by one look, which is no search`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let unconnected = try await statementsOfPeople(&owner)
        try await owner.connectAcme(to: "APPLETEAM1")
        // With a connection nothing is asked of tokens.
        let connected = try await statementsOfPeople(&owner)
        #expect(connected == unconnected - 1)
    }

    /// How many statements the list of people takes; now and then something is noted beside it.
    private func statementsOfPeople(_ browser: inout Browser) async throws -> Int {
        var least = Int.max
        for _ in 0..<4 {
            let before = environment.statementCount()
            #expect(try await browser.get("/console/ACMETEAM01/users").status == 200)
            least = min(least, environment.statementCount() - before)
        }
        return least
    }

    @Test func `is listed with the reason and what helps, narrowed and tried again`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        #expect(try await owner.get(Self.list).text.contains("All tokens are revoked"))
        let sub = try fill()

        let all = try await owner.get(Self.list).text
        #expect(all.contains("3 tokens") && all.contains(sub) && all.contains("Try again to revoke"))
        var auditor = try await environment.signedIn("Cleo", [TeamID.acme: .auditor])
        #expect(try await !auditor.get(Self.list).text.contains("Try again to revoke"))
        #expect(all.contains("Apple rejected the team’s key") && all.contains("Cannot be checked"))
        #expect(all.contains("users/\(sub)\""))
        let found = try await owner.get("\(Self.list)?state=refused&problem=client").text
        #expect(found.contains("1 token") && found.contains("href=\"\(Self.list)?problem=client\""))
        #expect(try await owner.get("\(Self.list)?q=nobody").text.contains("No token matches"))

        let token = String(repeating: "0", count: 31)
        let retried = try await owner.post("\(Self.list)/\(token)1/retries")
        #expect(try await owner.follow(retried).text.contains("tries again within a minute"))
        #expect(try await owner.post("\(Self.list)/\(token)4/retries").status == 404)
        #expect(
            try environment.admin("SELECT kind, payload->>'token' FROM jobs") == [["upstream.revocation", "\(token)1"]])
        #expect(try environment.allActions(in: .acme).last == "upstream_token.retried")

        try environment.admin("DELETE FROM users WHERE sub = $1", sub)
        #expect(try await owner.get("/console/ACMETEAM01/users").text.contains("tokens not revoked"))
        let orphans = try await owner.get(Self.list).text
        #expect(orphans.contains("deleted here") && !orphans.contains("users/\(sub)\""))
    }

    @Test func `is told on the page of its person, beside how they came`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let sub = try fill()
        let text = try await owner.get("/console/ACMETEAM01/users/\(sub)").text
        #expect(text.contains("Likely real") && text.contains("the person hides their own"))
        #expect(text.contains("Rita &lt;b&gt; Regular") && text.contains("Unverified, sent by the browser"))
        #expect(text.contains("Cannot be revoked") && text.contains("Revoked"))

        let export = try await owner.post("/console/ACMETEAM01/users/\(sub)/export").text
        #expect(export.contains("\"realUserStatus\": 2") && export.contains("\"problem\": \"unconnected\""))
    }
}
