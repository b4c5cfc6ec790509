import Bytes
import Domain
import HTTP
import Templates
import Testing
import Web

@testable import Console

@Suite struct `The audit log` {
    @Test func `pages through everything once, with names and changes`() async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Olive", [World.acme: .owner])
            let member = try #require(owner.subject)
            try world.admin(
                """
                INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome,
                    before, after)
                SELECT 'ACMETEAM01', now() - n * interval '1 s', 'member', $1, 'app_id.updated', 'app_id',
                    'com.acme.app' || n, 'succeeded', '{"isEnabled": true, "description": "Acme"}',
                    '{"isEnabled": false, "description": "Acme"}'
                FROM generate_series(1, 60) AS n
                """,
                member.rawValue
            )

            let first = try await owner.get("/console/ACMETEAM01/audit").text
            let cursor = try #require(
                first.split(separator: "after=").dropFirst().first?.prefix { $0 != "\"" }
            )
            let second = try await owner.get("/console/ACMETEAM01/audit?after=\(cursor)").text

            #expect(
                first.contains("App ID updated") && first.contains("Olive") && first.contains("Is enabled")
            )
            #expect(!first.contains("<th scope=\"row\">Description</th>"))
            for number in 1...60 {
                let mark = "<code>com.acme.app\(number)</code></span>"
                #expect(first.contains(mark) == (number <= 50), "\(number)")
                #expect(second.contains(mark) == (number > 50), "\(number)")
            }
        }
    }

    @Test(
        arguments: [
            ("provider.revocation", "provider_token.revoked", "Pippin, revoking at Apple"),
            ("apple", "consent.ended", "a notice from Apple"),
            ("apple", "provider_authorization.ended", "Apple"),
        ]
    )
    func `names what acted by itself in words`(actor: String, action: String, words: String) async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Olive", [World.acme: .owner])
            try world.admin(
                """
                INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome)
                VALUES ('ACMETEAM01', now(), 'system', $1, $2, 'user', 'somebody', 'succeeded')
                """,
                actor,
                action
            )

            let page = try await owner.get("/console/ACMETEAM01/audit").text

            #expect(page.contains(">\(words)<"))
        }
    }

    @Test(
        arguments: [
            ("app_id.created", "App ID created"), ("sign_in.completed", "Sign-in completed"),
            ("key.downloaded", "Key downloaded"), ("client.first_redemption", "First code redeemed"),
            ("odd", "odd"), ("an_odd.one", "an odd one"), ("", ""), (".", " "),
        ]
    )
    func `names events in words`(action: String, words: String) throws {
        let texts = try Texts(folder: repository + "/Texts")

        #expect(texts.text(AuditWords.action(action)) == words)
    }

    @Test(
        arguments: [
            ("notificationURL", "Notification URL"), ("isEnabled", "Is enabled"), ("appID", "App ID"),
            ("returnURLs", "Return URLs"), ("reason", "Reason"),
        ]
    )
    func `names members in words`(name: String, words: String) {
        #expect(AuditWords.member(name) == words)
    }

    @Test func `shows only what differs`() {
        let changes = AuditChange.all(
            before: ["name": "Acme", "mode": "sandbox", "urls": []],
            after: ["name": "Acme", "mode": "production", "urls": ["a", "b"]]
        )

        #expect(
            changes == [
                AuditChange(name: "Mode", before: "sandbox".asWords, after: "production".asWords),
                AuditChange(
                    name: "Urls",
                    before: Phrase("console.audit.nothing").asWords,
                    after: ["a", "b"].asWords
                ),
            ]
        )
    }
}
