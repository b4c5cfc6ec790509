import Core
import Platform
import Templates
import Testing

@testable import Console

@Suite struct `The audit log` {
    @Test(.environment) func `pages through everything once, with names and changes`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        let member = try #require(owner.subject)
        try environment.admin(
            """
            INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome,
                before, after)
            SELECT 'ACMETEAM01', now() + (60 - n) * interval '1 s', 'member', $1, 'app_id.updated', 'app_id',
                'com.acme.app' || n, 'succeeded', '{"isEnabled": true, "description": "Acme"}',
                '{"isEnabled": false, "description": "Acme"}'
            FROM generate_series(1, 60) AS n
            """, member.rawValue)

        let first = try await owner.get("/console/ACMETEAM01/audit").text
        let cursor = try #require(first.split(separator: "after=").dropFirst().first?.prefix { $0 != "\"" })
        let second = try await owner.get("/console/ACMETEAM01/audit?after=\(cursor)").text

        #expect(first.contains("App ID updated") && first.contains("Olive") && first.contains("Is enabled"))
        #expect(!first.contains("<th scope=\"row\">Description</th>"))
        for number in 1...60 {
            let mark = "<code>com.acme.app\(number)</code></span>"
            #expect(first.contains(mark) == (number <= 50), "\(number)")
            #expect(second.contains(mark) == (number > 50), "\(number)")
        }
    }

    @Test(.environment) func `names what acted by itself in words`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        for (actor, action, words) in [
            ("upstream.revocation", "upstream_token.revoked", "Pippin, revoking at Apple"),
            ("apple", "consent.ended", "a notification from Apple"), ("apple", "upstream_authorization.ended", "Apple"),
        ] {
            try environment.admin(
                """
                INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome)
                VALUES ('ACMETEAM01', now(), 'system', $1, $2, 'user', 'somebody', 'succeeded')
                """, actor, action)

            let page = try await owner.get("/console/ACMETEAM01/audit?action=\(action)").text

            #expect(page.contains(">\(words)<"))
        }
    }

    @Test(arguments: [
        ("app_id.created", "App ID created"), ("sign_in.completed", "Sign-in completed"),
        ("key.downloaded", "Key downloaded"), ("client.first_redemption", "First code redeemed"), ("odd", "odd"),
        ("an_odd.one", "an odd one"), ("", ""), (".", " "),
    ]) func `names events in words`(action: String, words: String) throws {
        let texts = try Translations(folder: repository + "/Texts")

        #expect(texts.text(AuditMessages.action(action)) == words)
    }

    @Test(arguments: [
        ("notificationURL", "Notification URL"), ("signIn", "Sign in"), ("appID", "App ID"),
        ("returnURLs", "Return URLs"), ("reason", "Reason"),
    ]) func `names members in words`(name: String, words: String) { #expect(AuditMessages.member(name) == words) }

    @Test func `shows only what differs`() {
        let changes = AuditChange.all(
            before: ["name": "Acme", "mode": "sandbox", "urls": []],
            after: ["name": "Acme", "mode": "production", "urls": ["a", "b"]])

        #expect(
            changes == [
                AuditChange(name: "Mode", before: "sandbox".localizedText, after: "production".localizedText),
                AuditChange(
                    name: "Urls", before: Message("console.audit.nothing").localizedText,
                    after: ["a", "b"].localizedText),
            ])
    }

    @Test func `V55: a list shows the beginning of what is long, and the event's page the whole`() throws {
        let long = String(repeating: "x", count: 5000)
        let urls = (0..<100).map {
            JSONValue.string("https://acme.example/\($0)/" + String(repeating: "y", count: 100))
        }
        let (before, after): ([String: JSONValue], [String: JSONValue]) = (
            ["name": .string(long), "urls": .array(urls), "mode": "a"],
            ["name": .string(long + "z"), "urls": .array([]), "mode": "a"]
        )
        func json(_ members: [String: JSONValue]) -> String {
            String(decoding: JSON.encode(JSONValue.object(members)), as: UTF8.self)
        }
        let shown = AuditChange.beginnings(before: json(before), after: json(after))
        // What differs far behind differs all the same.
        #expect(shown.map(\.name) == ["Name", "Urls"])
        #expect("\(shown)".utf8.count < 4000)
        #expect("\(AuditChange.all(before: before, after: after))".utf8.count > 20_000)

        let larger = json(["name": .string(String(repeating: "x", count: 40_000))])
        #expect(AuditChange.beginnings(before: larger, after: nil).isEmpty)
    }

    @Test(.environment) func `V55: a page of the log stays small, whatever was written`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        let member = try #require(owner.subject)
        try environment.admin(
            """
            INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome, after)
            SELECT 'ACMETEAM01', now() + n * interval '1 s', 'member', $1, 'app_id.updated', 'app_id',
                'com.acme.app' || n, 'succeeded', jsonb_build_object('description', repeat('x', 10000 * n))
            FROM generate_series(1, 9) AS n
            """, member.rawValue)
        let page = try await owner.get("/console/ACMETEAM01/audit").text
        #expect(page.contains("com.acme.app9") && page.utf8.count < 100_000)
    }
}
