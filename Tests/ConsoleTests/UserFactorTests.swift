import Core
import Directory
import HTTP
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `The second factors of a user` {
    /// Gives somebody an app, a passkey and two recovery codes, of which one was used.
    private func enrol(_ subject: Subject) throws {
        let values = ["ACMETEAM01", subject.rawValue]
        for statement in [
            """
            INSERT INTO totp_secrets (team_id, sub, secret_sealed, last_step, confirmed_at)
            VALUES ($1, $2, 'sealed secret', 0, now())
            """,
            """
            INSERT INTO passkeys (
                team_id, credential_id, sub, name, algorithm, public_key, sign_count, is_backup_eligible,
                is_backed_up, transports, created_at
            ) VALUES ($1, 'credential', $2, 'Ada''s phone', -7, 'public key', 0, false, false, '{}', now())
            """,
            """
            INSERT INTO recovery_codes (team_id, sub, code_hash, created_at, used_at)
            VALUES ($1, $2, 'one', now(), now()), ($1, $2, 'two', now(), NULL)
            """,
        ] { try environment.admin(statement, values[0], values[1]) }
    }

    private static let form = [("confirmation", "ada@acme.example"), ("reason", "She lost her phone")]

    @Test func `are seen by kind, name and time, and taken away for a reason`() async throws {
        let ada = try await environment.addAda()
        try enrol(ada)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let reset = UserRoutes.factorReset.link(TeamID.acme, ada)

        let user = try await admin.get(ConsoleRoutes.user.link(TeamID.acme, ada)).text
        #expect(user.contains("2 in use") && user.contains(UserRoutes.factors.link(TeamID.acme, ada)))
        let page = try await admin.get(UserRoutes.factors.link(TeamID.acme, ada)).text
        #expect(page.contains("Authenticator app") && page.contains("Passkey “Ada&#39;s phone”"))
        #expect(page.contains("1 recovery code is left") && !page.contains("sealed secret"))

        let wrong = try await admin.post(reset, [("confirmation", "ada"), ("reason", "Lost")])
        #expect(wrong.status == 422 && wrong.text.contains("value=\"Lost\""))
        #expect(try environment.count("totp_secrets") == 1)

        #expect(try await admin.post(reset, Self.form).status == 303)
        for table in ["totp_secrets", "passkeys", "recovery_codes"] { #expect(try environment.count(table) == 0) }
        #expect(try environment.count("sessions WHERE team_id = 'ACMETEAM01'") == 0)
        let event = try environment.admin("SELECT action, after->>'reason' FROM audit_events ORDER BY at DESC LIMIT 1")
        #expect(event == [["factors.reset", "She lost her phone"]])
        let mail = try environment.lastMail()
        #expect(mail.contains("ada@acme.example") && mail.contains("signed you out everywhere"))
        #expect(try await admin.post(reset, Self.form).status == 303)
        #expect(try environment.count("jobs WHERE kind = 'mail.send'") == 1)
    }

    @Test func `are no business of a developer`() async throws {
        let ada = try await environment.addAda()
        try enrol(ada)
        var developer = try await environment.signedIn("developer", [TeamID.acme: .developer])

        let page = try await developer.get(UserRoutes.factors.link(TeamID.acme, ada))
        #expect(page.status == 200 && !page.text.contains("Remove second factors"))
        let reset = UserRoutes.factorReset.link(TeamID.acme, ada)
        #expect(try await developer.post(reset, Self.form).status == 403)
        #expect(try environment.count("totp_secrets") == 1)
    }

    @Test func `are in the file that a person is given, without what proves them`() async throws {
        let ada = try await environment.addAda()
        try enrol(ada)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])

        let file = try await admin.post(UserRoutes.export.link(TeamID.acme, ada))

        let json = try JSON.decode(JSONValue.self, from: Array(file.text.utf8))
        guard case .array(let factors) = json["secondFactors"] else {
            Issue.record("no factors")
            return
        }
        let kinds = factors.compactMap { $0["kind"]?.string }
        #expect(kinds.sorted() == ["passkey", "recovery_code", "recovery_code", "totp"])
        #expect(factors.contains { $0["name"]?.string == "Ada's phone" })
        for secret in ["sealed", "public key", "credential", "one"] {
            let octets = secret.utf8.map { String($0, radix: 16) }.joined()
            #expect(!file.text.contains("\"\(secret)\"") && !file.text.contains(octets))
        }
    }
}
