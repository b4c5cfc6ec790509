import Accounts
import Crypto
import Platform
import TestSupport
import Testing

@Suite struct `Applying a registry file` {
    @Test(.installation) func `makes the team what it says, once`() async throws {
        let first = try await pippin.apply(Files.whole)
        let rows = try pippin.rows()
        let second = try await pippin.apply(Files.whole)

        #expect(first.outcome == .applied)
        #expect(
            first.teams.map(\.lines) == [
                [
                    "+ team ACMETEAM01", "+ App ID com.acme.app", "+ Service ID com.acme.web of com.acme.app",
                    "+ key ACMEKEY001 of com.acme.app", "+ email source acme.example",
                    "+ email source ada@mail.example", "+ user ada@acme.example",
                ]
            ])
        #expect(second.outcome == .unchanged)
        #expect(second.teams.isEmpty)
        #expect(try pippin.rows() == rows)
        #expect(rows["signing_keys"] == 1)
        #expect(rows["audit_events"] == 7)
        #expect(try pippin.value("SELECT DISTINCT actor_kind || ' ' || actor FROM audit_events") == "command apply")
    }

    @Test(.installation) func `knows an address in both spellings of its domain, and a name with marks`() async throws {
        func file(_ addresses: String...) -> String {
            let users = addresses.map {
                #"{"email": "\#($0)", "givenName": "Zo\u00eb\u202c", "familyName": "Mu\u0308ller"}"#
            }
            return Files.team(#""users": [\#(users.joined(separator: ", "))]"#)
        }
        try await pippin.apply(Files.whole)
        #expect(try await pippin.apply(file("ada@münchen.example")).outcome == .applied)
        #expect(
            try pippin.value("SELECT login FROM login_names WHERE login LIKE '%mnchen%'")
                == "ada@xn--mnchen-3ya.example")
        #expect(try pippin.value("SELECT given_name FROM users WHERE email LIKE '%mnchen%'")?.utf8.count == 4)
        for spelling in ["Ada@xn--mnchen-3ya.example", "ada@MÜNCHEN.example"] {
            #expect(try await pippin.apply(file(spelling)).outcome == .unchanged)
        }
        let twice = try await pippin.apply(file("b@münchen.example", "b@xn--mnchen-3ya.example"))
        #expect(!twice.problems.isEmpty, "the same person was made twice")
        // What is exported is taken.
        #expect(try await pippin.apply(try await pippin.export()).outcome == .unchanged)
    }

    @Test(.acme) func `changes what is different and nothing else`() async throws {
        let changed = Files.whole(
            description: "Acme on the web",
            returnURLs: #""http://127.0.0.1:9000/callback", "http://127.0.0.1:9000/other""#)

        let report = try await pippin.apply(changed)

        #expect(report.outcome == .applied)
        #expect(
            report.teams.map(\.lines) == [
                [
                    "~ Service ID com.acme.web: description \"Acme Web\" → \"Acme on the web\", "
                        + "returnURLs + http://127.0.0.1:9000/other"
                ]
            ])
        #expect(try await pippin.apply(changed).outcome == .unchanged)
    }

    @Test(.acme) func `leaves alone what the file leaves out`() async throws {
        let nothing = try await pippin.apply(#"{"teams": [{"id": "ACMETEAM01"}]}"#)
        let empty = try await pippin.apply(Files.team(#""appIDs": [], "keys": [], "users": []"#))
        let bare = try await pippin.apply(Files.team(#""appIDs": [{"identifier": "com.acme.app"}]"#))

        for report in [nothing, empty, bare] { #expect(report.outcome == .unchanged) }
    }

    @Test(.installation) func `of bare names takes the defaults`() async throws {
        let text = Files.team(
            #""appIDs": [{"identifier": "com.acme.app", "serviceIDs": [{"identifier": "com.acme.web"}]}]"#)

        let report = try await pippin.apply(text)

        #expect(report.outcome == .applied)
        #expect(
            try pippin.value("SELECT name || ' ' || mode FROM teams WHERE NOT is_system") == "ACMETEAM01 production")
        #expect(try pippin.value("SELECT description FROM service_ids") == "com.acme.web")
    }

    @Test(.installation) func `on trial says what would change and writes nothing`() async throws {
        let before = try pippin.rows()
        let report = try await pippin.apply(Files.whole) { $0.isDryRun = true }
        #expect(report.outcome == .wouldChange)
        #expect(report.teams.first?.lines.count == 7)
        #expect(try pippin.rows() == before)

        try await pippin.apply(Files.whole)
        let after = try pippin.rows()
        let pruned = try await pippin.apply(Files.team(#""appIDs": []"#)) {
            $0.isDryRun = true
            $0.prunes = true
        }
        #expect(pruned.teams.map(\.lines) == [["- App ID com.acme.app, with serviceIDs com.acme.web, keys ACMEKEY001"]])
        #expect(try pippin.rows() == after)
        #expect(try await pippin.apply(Files.whole, { $0.isDryRun = true }).outcome == .unchanged)
    }

    @Test(.installation) func `takes passwords at creation only, unless credentials are reset`() async throws {
        try await pippin.apply(Files.whole(password: "correct horse battery"))
        try pippin.admin(
            """
            INSERT INTO sessions (
                team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent
            ) SELECT team_id, '\\x01', sub, now(), now(), now() + interval '1 day', '', '' FROM users
            """)
        let changed = Files.whole(password: "a wholly other horse")
        let argon2id = Argon2id(memoryKiB: 8, passes: 1)

        #expect(try await pippin.apply(changed).outcome == .unchanged)
        let kept = try #require(PasswordHash(try pippin.value("SELECT hash FROM passwords") ?? ""))
        let report = try await pippin.apply(changed) { $0.resetsCredentials = true }
        let reset = try #require(PasswordHash(try pippin.value("SELECT hash FROM passwords") ?? ""))

        #expect(try argon2id.verify("correct horse battery", against: kept))
        #expect(try argon2id.verify("a wholly other horse", against: reset))
        #expect(report.teams.map(\.lines) == [["~ user ada@acme.example: password reset"]])
        #expect(try await pippin.apply(changed) { $0.resetsCredentials = true }.outcome == .unchanged)
        #expect(try pippin.count("sessions") == 0)
    }

    @Test(.installation) func `prints each event that it records, and no other`() async throws {
        let totp = #"{"email": "ada@acme.example", "totpSecret": "JBSWY3DPEHPK3PXP", "emailVerified": true}"#
        let texts = [
            Files.whole, Files.whole(description: "Other"), Files.team(#""users": [\#(totp)]"#),
            Files.team(#""name": "Other", "appIDs": [{"identifier": "com.acme.app", "serviceIDs": []}]"#),
            Files.team(#""appIDs": [{"identifier": "com.acme.tv"}], "keys": [], "emailSources": [], "users": []"#),
        ]
        for text in texts {
            let before = try pippin.count("audit_events")
            let lines = try await pippin.apply(text) {
                $0.prunes = true
                $0.resetsCredentials = true
            }.teams.flatMap(\.lines)
            #expect(try pippin.count("audit_events") - before == lines.count, "\(lines)")
            #expect(!lines.isEmpty)
        }
    }

    @Test(.installation) func `by ten at once ends as by one`() async throws {
        let outcomes = try await race(10) { _ in try await pippin.apply(Files.whole).outcome }

        #expect(outcomes.allSatisfy { $0 == .applied || $0 == .unchanged })
        #expect(try pippin.rows()["audit_events"] == 7)
        #expect(try await pippin.apply(Files.whole).outcome == .unchanged)
    }

    @Test(.installation) func `touches no other team`() async throws {
        let rival = #"{"teams": [{"id": "RIVALTEAM1", "appIDs": [{"identifier": "com.acme.app"}], "users": []}]}"#
        try await pippin.apply(rival)
        let before = try await pippin.export(try #require(TeamID(rawValue: "RIVALTEAM1")))

        try await pippin.apply(Files.whole)
        try await pippin.apply(Files.team(#""appIDs": [], "users": [], "emailSources": []"#)) { $0.prunes = true }

        #expect(try await pippin.export(try #require(TeamID(rawValue: "RIVALTEAM1"))) == before)
        #expect(try pippin.count("app_ids") == 1)
    }
}
