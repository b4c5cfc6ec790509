import HTTP
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `A team’s settings` {
    private static let page = SettingsRoutes.settings.link(TeamID.acme)

    private func version() throws -> String {
        try #require(try environment.admin("SELECT version FROM teams WHERE team_id = 'ACMETEAM01'")[0][0])
    }

    @Test func `are saved form by form, and what changed is on record`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])

        let saved = try await ada.post(
            SettingsRoutes.part.link(TeamID.acme, .rules),
            [
                ("version", "1"), ("idTokenSeconds", "300"), ("requireVerifiedDomains", "yes"),
                ("accountDeleteEvent", "account-deleted"), ("auditRetentionDays", "90"),
            ])

        #expect(saved.status == 303)
        let row = try environment.admin(
            """
            SELECT id_token_seconds, requires_verified_domains::text, account_delete_event,
                audit_retention_days, version
            FROM teams WHERE team_id = 'ACMETEAM01'
            """)
        #expect(row == [["300", "true", "account-deleted", "90", "2"]])
        let event = try environment.admin(
            """
            SELECT before->>'idTokenSeconds', after->>'idTokenSeconds', after ? 'name'
            FROM audit_events WHERE action = 'team.updated'
            """)
        #expect(event == [["600", "300", "f"]])
    }

    @Test func `V63: let Apple's keys stand beside Apple's issuer after a question alone`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        func choose(_ setting: String, version: Int, _ more: [(String, String)] = []) async throws -> Browser.Answer {
            try await ada.post(
                SettingsRoutes.part.link(TeamID.acme, .rules),
                [
                    ("version", "\(version)"), ("idTokenSeconds", "600"), ("auditRetentionDays", "400"),
                    ("appleKeys", setting),
                ] + more)
        }
        func kept() throws -> String? {
            try environment.admin("SELECT apple_keys FROM teams WHERE team_id = 'ACMETEAM01'")[0][0]
        }
        #expect(try kept() == "automatic")
        let asked = try await choose("always", version: 1)
        #expect(asked.status == 422 && asked.text.contains("takes Apple’s tokens for Pippin’s"))
        #expect(asked.text.contains("acceptsAppleTokens"))
        #expect(try kept() == "automatic")
        #expect(try await choose("always", version: 1, [("acceptsAppleTokens", "yes")]).status == 303)
        #expect(try kept() == "always")
        // What is chosen already is not asked about again, and nothing else is.
        #expect(try await choose("always", version: 2).status == 303)
        #expect(try await choose("off", version: 3).status == 303)
        #expect(try kept() == "off")
        let events = try environment.admin(
            """
            SELECT before->>'appleKeys', after->>'appleKeys' FROM audit_events
            WHERE action = 'team.updated' AND after ? 'appleKeys' ORDER BY at
            """)
        #expect(events == [["automatic", "always"], ["always", "off"]])
        let rival = try environment.admin("SELECT apple_keys FROM teams WHERE team_id = 'RIVALTEAM1'")
        #expect(rival == [["automatic"]])
    }

    private static let senseless: [(SettingsPart, field: String, value: String)] = [
        (.rules, "idTokenSeconds", "59"), (.rules, "auditRetentionDays", "x"), (.branding, "accentColour", "blue"),
        (.branding, "privacyURL", "http://acme.example"), (.branding, "termsURL", "javascript:alert(1)"),
        (.team, "name", " "),
    ]

    @Test func `that make no sense are refused beside their field, and stay typed`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        for (part, field, value) in Self.senseless {
            var form = [("version", "1"), (field, value)]
            if part == .rules {
                form += [("idTokenSeconds", "600"), ("auditRetentionDays", "400")].filter { $0.0 != field }
            }

            let answer = try await ada.post(SettingsRoutes.part.link(TeamID.acme, part), form)

            #expect(answer.status == 422, "\(field)")
            #expect(answer.text.contains("id=\"field-\(field)-error\""), "\(field)")
            #expect(answer.text.contains("value=\"\(value)\""), "\(field)")
        }
        #expect(try version() == "1")
    }

    @Test func `name the sources of identities, and never none`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let address = SettingsRoutes.part.link(TeamID.acme, .sources)

        #expect(try await ada.post(address, [("version", "1"), ("identitySources", "both")]).status == 303)

        let stored = "SELECT identity_sources FROM teams WHERE team_id = 'ACMETEAM01'"
        #expect(try environment.admin(stored) == [["{directory,apple}"]])
        let none = try await ada.post(address, [("version", "2"), ("identitySources", "")])
        #expect(none.status == 422 && none.text.contains("id=\"field-identitySources-error\""))
        #expect(try environment.admin(stored) == [["{directory,apple}"]])
        // As of an earlier release, whose fields had other names.
        #expect(try await ada.post(address, [("version", "2"), ("sources", "apple")]).status == 403)
        #expect(try environment.admin(stored) == [["{directory,apple}"]])
        let late = try await ada.post(address, [("version", "1"), ("identitySources", "apple")])
        #expect(late.status == 409)
    }

    @Test func `that somebody else saved first are shown beside one’s own`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        let address = SettingsRoutes.part.link(TeamID.acme, .team)

        #expect(try await ben.post(address, [("version", "1"), ("name", "Acme Ltd")]).status == 303)
        let conflict = try await ada.post(address, [("version", "1"), ("name", "Acme Inc")])

        #expect(conflict.status == 409)
        #expect(conflict.text.contains("Acme Ltd") && conflict.text.contains("Acme Inc"))
        let insisted = try await ada.post(address, [("version", "2"), ("name", "Acme Inc")])
        #expect(insisted.status == 303)
    }

    @Test func `have a mode that only an operator sets`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var olga = try await environment.signedIn("Olga", [TeamID.acme: .owner, .system: .operator])
        let address = SettingsRoutes.part.link(TeamID.acme, .team)
        let form = [("name", "Acme"), ("mode", "production")]
        let mode = "SELECT mode FROM teams WHERE team_id = 'ACMETEAM01'"

        #expect(try await !ada.get(Self.page).text.contains("name=\"mode\""))
        _ = try await ada.post(address, [("version", "1")] + form)
        #expect(try environment.admin(mode) == [["sandbox"]])
        _ = try await olga.post(address, [("version", "2")] + form)
        #expect(try environment.admin(mode) == [["production"]])
    }

    @Test func `stay a sandbox’s while something has addresses of this machine`() async throws {
        var olga = try await environment.signedIn("Olga", [TeamID.acme: .owner, .system: .operator])
        let address = SettingsRoutes.part.link(TeamID.acme, .team)
        let form = [("name", "Acme Ltd"), ("mode", "production")]
        try environment.addApps(1, named: "com.acme.local")
        try environment.setNotificationURL("http://127.0.0.1:9999/n")

        let refused = try await olga.post(address, [("version", "1")] + form)
        #expect(refused.status == 422 && refused.text.contains("id=\"field-mode-error\""))
        #expect(refused.text.contains("com.acme.local1 has what only a sandbox may have"))
        #expect(refused.text.contains("Acme Ltd"))
        try environment.admin("UPDATE app_ids SET notification_url = NULL")
        #expect(try await olga.post(address, [("version", "1")] + form).status == 303)
    }

    @Test func `are read by an auditor, who finds no button`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .auditor])

        let page = try await ada.get(Self.page)

        #expect(page.status == 200)
        #expect(!page.text.contains(">Save</button>") && !page.text.contains("Delete team"))
        #expect(!page.text.contains("field-name") && page.text.contains("<dt>Mode</dt><dd>Sandbox</dd>"))
        #expect(page.text.contains("<dt>ID token lifetime (seconds)</dt><dd>600</dd>"))
    }

    @Test func `end the team after a time in which an owner may take it back`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let due = "SELECT deletion_due_at > now() + interval '6 days' FROM teams WHERE team_id = 'ACMETEAM01'"

        let form = [("version", "1"), ("confirmation", "Acme"), ("reason", "closing")]
        let asked = try await ada.post(SettingsRoutes.deletion.link(TeamID.acme), form)
        #expect(asked.status == 303)
        #expect(try environment.admin(due) == [["t"]])
        #expect(try environment.count("jobs") == 1, "a mail to the owner")
        let again = [("version", "2"), ("confirmation", "Acme"), ("reason", "closing")]
        #expect(try await ada.post(SettingsRoutes.deletion.link(TeamID.acme), again).status == 303)
        #expect(try environment.count("jobs") == 1, "the owner knows")
        #expect(try await ada.get(Self.page).text.contains("Keep the team"))

        let kept = try await ada.post(SettingsRoutes.deletionCancellation.link(TeamID.acme))
        #expect(kept.status == 303)
        #expect(try environment.admin(due) == [[nil]])
        #expect(
            try environment.allActions(in: .acme).suffix(2) == ["team.deletion_requested", "team.deletion_cancelled"])
    }

    @Test func `V47: write to an owner that the team will end no more often than to any recipient`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        for _ in 0..<8 {
            let version = try #require(
                try environment.admin("SELECT version FROM teams WHERE team_id = 'ACMETEAM01'")[0][0])
            let form = [("version", version), ("confirmation", "Acme"), ("reason", "closing")]
            #expect(try await ada.post(SettingsRoutes.deletion.link(TeamID.acme), form).status == 303)
            #expect(try await ada.post(SettingsRoutes.deletionCancellation.link(TeamID.acme)).status == 303)
        }
        #expect(try environment.count("jobs") == 5)
    }

    @Test func `say which colour is shown in place of the chosen one, and show it on the people’s own page`()
        async throws
    {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .developer])
        let words = "/console/ACMETEAM01/settings/accent?colour=%23"
        let light = try await ada.get(words + "ffe14d")
        let dark = try await ada.get(words + "17694a")

        #expect(light.text.hasPrefix("Buttons use #ffe14d. Links on a light background use #"))
        #expect(dark.text.hasPrefix("Buttons use #17694a. Links on a dark background use #"))
        #expect(try await ada.get(words + "yellow").text.hasPrefix("# and six hexadecimal digits"))
        let preview = try await ada.get("/console/ACMETEAM01/settings/preview?accent=%23ffe14d").text
        #expect(preview.contains("Forgot your password?") && preview.contains("/accents/2/ffe14d.css"))
        var rita = try await environment.signedIn("Rita", [TeamID.rival: .owner])
        #expect(try await rita.get(words + "ffe14d").status == 404)
    }

    private func statements(of path: String, _ browser: inout Browser) async throws -> Int {
        let before = environment.statementCount()
        _ = try await browser.get(path)
        return environment.statementCount() - before
    }

    @Test func `say what a closed team is waiting for, which nobody takes back`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var olga = try await environment.signedIn("Olga", [.system: .operator])
        try environment.admin(
            """
            UPDATE teams SET deletion_due_at = now(), closed_at = now() WHERE team_id = 'ACMETEAM01'
            """)
        #expect(try await ada.get(Self.page).text.contains("Nothing is left to wait for"))
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT team, repeat(letter, 26), 'upstream.revocation', 1, '{}', now() + interval '1 hour'
            FROM (VALUES ('ACMETEAM01', 'a'), ('ACMETEAM01', 'b'), ('RIVALTEAM1', 'c')) AS new (team, letter)
            """)

        let page = try await ada.get(Self.page).text

        #expect(page.contains("Waiting for 2 revocations at Apple") && !page.contains("Keep the team"))
        let operators = try await olga.get(OperatorRoutes.teams.link()).text
        #expect(operators.contains("being deleted") && operators.contains("Waiting for 2 revocations"))
        let one = try await statements(of: OperatorRoutes.teams.link(), &olga)
        try environment.admin(
            "UPDATE teams SET deletion_due_at = now(), closed_at = now() WHERE team_id = 'RIVALTEAM1'")
        #expect(try await olga.get(OperatorRoutes.teams.link()).text.contains("Waiting for 1 revocation"))
        #expect(try await statements(of: OperatorRoutes.teams.link(), &olga) == one)
        try environment.admin("UPDATE teams SET deletion_due_at = NULL, closed_at = NULL WHERE team_id = 'RIVALTEAM1'")
        let kept = try await ada.post(SettingsRoutes.deletionCancellation.link(TeamID.acme))
        #expect(kept.status == 409 && kept.text.contains("This team is being deleted"))
        #expect(try environment.admin("SELECT FROM teams WHERE closed_at IS NOT NULL").count == 1)
        #expect(try await ada.get("/console/ACMETEAM01/traces").status == 200)
    }
}
