import Accounts
import Testing

@Suite(.acme) struct `Pruning` {
    @Test func `removes what the lists do not name`() async throws {
        let text = Files.team(
            """
            "appIDs": [{"identifier": "com.acme.app", "serviceIDs": [{"identifier": "com.acme.shop"}]}],
            "keys": [], "emailSources": [{"domain": "acme.example"}], "users": [{"email": "ben@acme.example"}]
            """)

        let report = try await pippin.apply(text) { $0.prunes = true }

        #expect(
            report.teams.map(\.lines) == [
                [
                    "- key ACMEKEY001", "- Service ID com.acme.web of com.acme.app", "- email source ada@mail.example",
                    "+ Service ID com.acme.shop of com.acme.app", "+ user ben@acme.example, without a password",
                    "- user ada@acme.example",
                ]
            ])
        #expect(try await pippin.apply(text, { $0.prunes = true }).outcome == .unchanged)
        #expect(try pippin.value("SELECT string_agg(identifier, ' ') FROM service_ids") == "com.acme.shop")
        #expect(try pippin.value("SELECT string_agg(login, ' ') FROM login_names") == "ben@acme.example")
        #expect(try pippin.value("SELECT count(*) FROM keys WHERE revoked_at IS NULL") == "0")
    }

    @Test func `leaves lists alone that the file leaves out`() async throws {
        let team = try await pippin.apply(#"{"teams": [{"id": "ACMETEAM01"}]}"#) { $0.prunes = true }
        let app = try await pippin.apply(Files.team(#""appIDs": [{"identifier": "com.acme.app"}]"#)) {
            $0.prunes = true
        }

        #expect(team.outcome == .unchanged)
        #expect(app.outcome == .unchanged)
    }

    @Test(arguments: ["\u{200B}", " ", "\u{A0}", "\u{FEFF}"])
    func `removes nothing that the file names with a mark that nobody sees`(mark: String) async throws {
        let names = [
            "com.acme.app", "com.acme.web", "ACMEKEY001", "acme.example", "ada@mail.example", "ada@acme.example",
        ]
        let dirty = names.reduce(Files.whole) { $0.replacing("\"\($1)\"", with: "\"\(mark)\($1)\(mark)\"") }

        #expect(try await pippin.apply(dirty) { $0.prunes = true }.outcome == .unchanged)
    }

    @Test func `frees names for other uses`() async throws {
        let text = Files.team(
            #""appIDs": [{"identifier": "com.acme.web", "serviceIDs": [{"identifier": "com.acme.app"}]}]"#)

        let refused = try await pippin.apply(text)
        let report = try await pippin.apply(text) { $0.prunes = true }

        #expect(refused.outcome != .applied)
        #expect(report.outcome == .applied)
        #expect(try pippin.value("SELECT identifier FROM app_ids") == "com.acme.web")
    }

    @Test func `tells apps of people it removes, and leaves nothing of their sign-ins`() async throws {
        try pippin.admin(
            """
            WITH consented AS (
                INSERT INTO consents (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip
                ) SELECT team_id, sub, 'com.acme.app', true, true, false, now(), '' FROM users
            )
            INSERT INTO traces (team_id, trace_id, sub, outcome, opening)
            SELECT team_id, repeat('0', 28), sub, 'answered', '{}' FROM users
            """)

        try await pippin.apply(Files.team(#""users": []"#)) { $0.prunes = true }

        #expect(try pippin.count("users") == 0)
        #expect(try pippin.count("traces") == 0)
        #expect(try pippin.value("SELECT string_agg(type, ' ') FROM notifications") == "account-delete")
        #expect(try pippin.count("deletion_receipts") == 1)
    }

    @Test func `never removes people whom a file cannot name`() async throws {
        try pippin.admin("INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', '001234.fromapple.0001')")

        try await pippin.apply(Files.team(#""users": []"#)) { $0.prunes = true }

        #expect(try pippin.value("SELECT string_agg(sub, ' ') FROM users") == "001234.fromapple.0001")
    }
}
