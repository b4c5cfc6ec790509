import Core
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `The audit log as members use it` {
    private static let path = "/console/ACMETEAM01/audit"

    /// An App ID changed by Olive, and a key revoked from another network.
    private func seed(_ member: Subject) throws {
        try environment.admin(
            """
            INSERT INTO audit_events (
                team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, ip_key, words, request_id,
                before, after
            ) VALUES (
                'ACMETEAM01', greatest(now() - interval '1 minute', date_trunc('month', now())), 'member', $1, 'app_id.updated', 'app_id', 'com.acme.app',
                'succeeded', '203.0.113.7', '\\x00000000000000000000ffffcb007107', '{com.acme.app,acme}', 'request-7',
                '{"description": "Acme"}', '{"description": "Acme Shop"}'
            ), (
                'ACMETEAM01', greatest(now() - interval '2 minutes', date_trunc('month', now())), 'system',
                'retention', 'key.revoked', 'key', 'ACMEKEY001', 'refused', '198.51.100.1', '\\x00000000000000000000ffffc6336401', '{acmekey001}', NULL, NULL,
                '{"reason": "=HYPERLINK"}'
            )
            """, member.rawValue)
    }

    @Test func `says nothing twice of invitations and deleted people, and has their ids`() async throws {
        var olive = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try environment.admin(
            """
            INSERT INTO audit_events (
                team_id, at, actor_kind, actor, action, target_kind, target, outcome, words
            ) VALUES
                ('ACMETEAM01', now(), 'member', '000000.gone.0000', 'user_invitation.sent', 'user_invitation',
                    'aaaabbbbccccdddd', 'succeeded', '{}'),
                ('ACMETEAM01', now(), 'system', 'test', 'user.deleted', 'user', '000000.left.0000', 'succeeded', '{}')
            """)

        let text = try await olive.get(Self.path).text

        #expect(text.contains("<b>User invited</b><code>aaaabbbbccccdddd</code>"))
        #expect(text.contains("<b>User deleted</b><code>000000.left.0000</code>"))
        #expect(text.contains("<span>a deleted person</span>"))
    }

    private static let app = "<code>com.acme.app</code></span>"
    private static let key = "<code>ACMEKEY001</code></span>"

    private static let filters = [
        ("q=ACME", true, false), ("actor=Olive", true, false), ("actor=%C3%B3live", true, false),
        ("actor=%EF%BC%AFlive", true, false), ("actor=retention", false, true), ("action=key.revoked", false, true),
        ("target=com.acme.app", true, false), ("target=com.acme.app&kind=key", false, false),
        ("ip=203.0.113.0/24", true, false), ("ip=198.51.100.1", false, true), ("outcome=refused", false, true),
        ("from=2020-01-01", true, true), ("to=2020-01-01", false, false), ("q=shop+acme", false, false),
        ("q=%20", true, true),
    ]

    @Test func `shows what a filter asks for`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try seed(try #require(owner.subject))

        for (query, showsApp, showsKey) in Self.filters {
            let answer = try await owner.get("\(Self.path)?\(query)")

            #expect(answer.status == 200, "\(query)")
            #expect(answer.text.contains(Self.app) == showsApp, "\(query)")
            #expect(answer.text.contains(Self.key) == showsKey, "\(query)")
            let count = (showsApp ? 1 : 0) + (showsKey ? 1 : 0)
            #expect(count == 0 || answer.text.contains(">\(count) event"), "\(query)")
        }
    }

    @Test func `finds a person by any spelling of a name`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try environment.admin(
            """
            INSERT INTO users (team_id, sub, given_name, family_name, email)
            VALUES ('ACMETEAM01', '000000.jose.0000', 'Jos\u{E9}', 'N\u{FA}\u{F1}ez', 'jose@acme.example')
            """)
        try environment.admin(
            """
            INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome, words)
            VALUES ('ACMETEAM01', now(), 'person', '000000.jose.0000', 'consent.ended', 'app', 'by.jose', 'succeeded', '{}')
            """)

        for name in ["jose", "JOSE%CC%81", "n%C3%BA%C3%B1ez", "Nunez+Jose", "jose%40acme.example"] {
            let text = try await owner.get("\(Self.path)?actor=\(name)").text
            #expect(text.contains("by.jose"), "\(name)")
        }
        #expect(try await !owner.get("\(Self.path)?actor=joan").text.contains("by.jose"))
    }

    @Test func `takes each filter off with its chip`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try seed(try #require(owner.subject))

        let text = try await owner.get("\(Self.path)?action=key.revoked&outcome=refused").text

        #expect(text.contains("class=\"chip\" href=\"\(Self.path)?outcome=refused\""))
        #expect(text.contains("class=\"chip\" href=\"\(Self.path)?action=key.revoked\""))
        #expect(text.contains("class=\"chips-clear\" href=\"\(Self.path)\""))
    }

    @Test func `says beside the field what it cannot understand, and keeps it`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try seed(try #require(owner.subject))

        for query in ["ip=nowhere", "from=20.11.2026", "to=2026-02-30", "from=2026-11-20&to=2026-11-19"] {
            let answer = try await owner.get("\(Self.path)?\(query)")

            #expect(answer.status == 422, "\(query)")
            #expect(answer.text.contains("aria-invalid=\"true\"") && answer.text.contains("field-error"), "\(query)")
            #expect(!answer.text.contains(Self.app), "\(query)")
            let typed = try #require(query.split(separator: "=").last)
            #expect(answer.text.contains("value=\"\(typed)\""), "\(query)")
        }
    }

    @Test func `tells everything about one event, and of no other team's`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        var rival = try await environment.signedIn("Ben", [TeamID.rival: .owner])
        try seed(try #require(owner.subject))
        let list = try await owner.get("\(Self.path)?q=acme").text
        let event = try #require(list.split(separator: "/audit/events/").dropFirst().first?.prefix { $0 != "\"" })

        let answer = try await owner.get("\(Self.path)/events/\(event)")

        #expect(answer.status == 200)
        for part in [
            "App ID updated", "Olive", "203.0.113.7", "request-7", "Acme Shop",
            "/console/ACMETEAM01/app-ids/com.acme.app", "?target=com.acme.app&amp;kind=app_id", "Not sealed yet",
        ] { #expect(answer.text.contains(part), "\(part)") }
        #expect(try await rival.get("/console/RIVALTEAM1/audit/events/\(event)").status == 404)
        #expect(try await rival.get("\(Self.path)/events/\(event)").status == 404)
        for garbage in ["x", "1", "-", "99999999999999999999-a", "1-%00"] {
            let status = try await owner.get("\(Self.path)/events/\(garbage)").status
            #expect(status == 404 || status == 400, "\(garbage)")
        }
    }

    @Test func `is exported by those who may`() async throws {
        let everybody = try await environment.everybody()
        try seed(try #require(everybody["owner"]?.subject))
        for role in ["owner", "admin", "auditor", "developer"] {
            var member = try #require(everybody[role])
            let page = try await member.get("\(Self.path)?outcome=refused").text
            let answer = try await member.post("\(Self.path)/export", [("format", "csv"), ("outcome", "refused")])

            guard role != "developer" else {
                #expect(answer.status == 403 && !page.contains("/audit/export"))
                continue
            }
            #expect(page.contains("<input type=\"hidden\" name=\"outcome\" value=\"refused\">"), "\(role)")
            #expect(answer.status == 200, "\(role)")
            #expect(answer["content-type"] == "text/csv; charset=utf-8")
            #expect(answer["content-disposition"]?.hasPrefix("attachment; filename=\"audit-ACMETEAM01-") == true)
            let lines = answer.text.split(separator: "\r\n")
            #expect(lines.count == 3 && lines[1].contains("audit_log.exported") && lines[2].contains("ACMEKEY001"))
            #expect(try environment.allActions(in: .acme).last == "audit_log.exported")
        }
    }

    @Test func `refuses an export it cannot understand`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])

        for form in [[("format", "xml")], [], [("format", "csv"), ("ip", "nowhere")]] {
            #expect(try await owner.post("\(Self.path)/export", form).status == 400)
        }
    }

    @Test func `is verified at the press of a button`() async throws {
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        try seed(try #require(owner.subject))

        #expect(try await owner.post("\(Self.path)/verification").location == "\(Self.path)#seals")
        let whole = try await owner.get(Self.path).text
        try environment.admin("DELETE FROM audit_unsealed WHERE team_id = 'ACMETEAM01'")
        _ = try await owner.post("\(Self.path)/verification")
        let broken = try await owner.get(Self.path).text

        #expect(whole.contains(">Whole<") && whole.contains("up to event"))
        #expect(broken.contains(">Not whole<") && broken.contains("Inserted past the log"))
    }
}
