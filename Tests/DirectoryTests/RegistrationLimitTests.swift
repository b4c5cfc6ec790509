import Bytes
import Crypto
import Domain
import Localization
import TestSupport
import Testing

@testable import Directory

/// What strangers can use up of a team's registrations.
@Suite struct `Mail for registrations` {
    private actor Outbox {
        private(set) var recipients: [String] = []

        func add(_ recipient: String) { recipients.append(recipient) }

        func count(_ recipient: String) -> Int { recipients.count { $0 == recipient } }
    }

    private func registrations(_ passwords: PasswordEnvironment, _ outbox: Outbox) -> AccountRegistrations {
        AccountRegistrations(
            passwords.environment.database,
            hasher: PasswordHasher(
                pool: passwords.pool, judges: passwords.pool, argon2id: TestEnvironment.cheap, places: 100),
            mailer: AccountMailer { _, recipient, _, _, _ in await outbox.add(recipient.rawValue) })
    }

    /// What came of the form, as one word.
    private func register(
        _ registrations: AccountRegistrations, _ email: String, from ip: String, at team: TeamID = .acme
    ) async throws -> String {
        let rule = PasswordRule(in: team, email: nil)
        let form = AccountRegistrations.Form(
            email: try #require(EmailAddress(rawValue: email)),
            name: try #require(PersonName(given: "Dora", family: "Maar")),
            password: try NewPassword(PasswordEnvironment.password, by: rule, with: .ofCommand), interaction: nil,
            browserHash: [1])
        let caller = AccountCaller(team: team, language: .english, origin: .test(at: ip), now: .noon)
        switch try await registrations.begin(form, for: caller) {
        case .mailed: return "mailed"
        case .limited(let wait): return wait > .zero && wait <= .seconds(3600) ? "limited" : "limited for \(wait)"
        case .busy: return "busy"
        }
    }

    /// Has Acme's registrations of this hour counted so far.
    private func setTeamCount(_ environment: TestEnvironment, _ count: Int) throws {
        try environment.admin(
            """
            INSERT INTO limits (team_id, subject, window_ends_at, count)
            VALUES ('ACMETEAM01', 'registration.team', $1::timestamptz, $2::bigint)
            """, (Timestamp.noon + .seconds(3600)).description, String(count))
    }

    private func teamCount(_ environment: TestEnvironment) throws -> [[String?]] {
        try environment.admin("SELECT count FROM limits WHERE subject = 'registration.team'")
    }

    @Test func `V43, V47: to one mailbox use up no more of the team's than it gets, known or not`() async throws {
        try await withPasswords { passwords in
            for email in ["ada@acme.example", "nobody@acme.example"] {
                try passwords.environment.forgetCounts()
                let (environment, outbox) = (passwords.environment, Outbox())
                let registrations = self.registrations(passwords, outbox)
                for number in 0..<30 {
                    for _ in 0..<2 {
                        let outcome = try await register(registrations, email, from: "192.0.2.\(number)")
                        #expect(outcome == "mailed")
                    }
                }
                #expect(try teamCount(environment) == [["9"]])
                #expect(await outbox.recipients == Array(repeating: email, count: 9))

                let other = try await register(registrations, "dora@acme.example", from: "198.51.100.7")
                #expect(other == "mailed")
                #expect(await outbox.count("dora@acme.example") == 1)
            }
        }
    }

    @Test func `V43, V47: of an address beyond its own use up nothing of the team's`() async throws {
        try await withPasswords { passwords in
            let outbox = Outbox()
            let registrations = self.registrations(passwords, outbox)
            var outcomes: [String] = []
            for number in 0..<30 {
                let email = "dora\(number)@acme.example"
                outcomes.append(try await register(registrations, email, from: "192.0.2.1"))
            }
            let expected = Array(repeating: "mailed", count: 20) + Array(repeating: "limited", count: 10)
            #expect(outcomes == expected)
            #expect(try teamCount(passwords.environment) == [["20"]])
        }
    }

    @Test func `V47: beyond the team's limit are refused, sent to nobody, and cost the mailbox none`() async throws {
        try await withPasswords { passwords in
            for email in ["ada@acme.example", "nobody@acme.example"] {
                try passwords.environment.forgetCounts()
                try passwords.environment.forgetMailedLinks()
                let (environment, outbox) = (passwords.environment, Outbox())
                let registrations = self.registrations(passwords, outbox)
                try setTeamCount(environment, 5000)
                for number in 0..<12 {
                    let outcome = try await register(registrations, email, from: "192.0.2.\(number)")
                    #expect(outcome == "limited")
                }
                #expect(await outbox.recipients.isEmpty)
                #expect(try environment.admin("SELECT FROM mailed_links").isEmpty)
                let mailboxes = try environment.admin(
                    "SELECT subject FROM limits WHERE subject LIKE 'mail-%' AND count > 0")
                #expect(mailboxes.isEmpty)

                // Rival has an hour of its own.
                let rival = try await register(registrations, email, from: "192.0.2.1", at: .rival)
                #expect(rival == "mailed")
            }
        }
    }

    @Test func `V46, V47: stop at the team's limit, however many come at once`() async throws {
        try await withPasswords { passwords in
            let (environment, outbox) = (passwords.environment, Outbox())
            let registrations = self.registrations(passwords, outbox)
            try setTeamCount(environment, 4995)
            let outcomes = try await race(50) { number in
                try await register(registrations, "dora\(number)@acme.example", from: "192.0.2.\(number)")
            }
            #expect(outcomes.count { $0 == "mailed" } == 5)
            #expect(outcomes.count { $0 == "limited" } == 45)
            #expect(await outbox.recipients.count == 5)
        }
    }
}

/// What strangers can use up of the mail that lets people in again.
@Suite struct `Mail for forgotten passwords` {
    /// How many mails went to somebody.
    private actor Outbox {
        private(set) var count = 0

        func add() { count += 1 }
    }

    private func recovery(_ passwords: PasswordEnvironment, _ outbox: Outbox) -> PasswordRecovery {
        PasswordRecovery(
            passwords.environment.database,
            hasher: PasswordHasher(
                pool: passwords.pool, judges: passwords.pool, argon2id: TestEnvironment.cheap, places: 10),
            mailer: AccountMailer { mail, _, _, _, _ in
                if case .decoy = mail { return }
                await outbox.add()
            }, ending: PreparedAccess { _, _, _ in })
    }

    private func ask(_ recovery: PasswordRecovery, for name: String, from ip: String, knownBrowser: String? = nil)
        async throws -> Duration?
    {
        try await recovery.begin(
            name, for: .newPassword, interaction: nil, browserHash: [1], knownBrowser: knownBrowser,
            AccountCaller(team: .acme, language: .english, origin: .test(at: ip), now: .noon))
    }

    @Test func `V43, V47: leaves a browser that the account knows its own, and strangers learn nothing`() async throws {
        try await withPasswords { passwords in
            let (environment, outbox) = (passwords.environment, Outbox())
            let recovery = recovery(passwords, outbox)
            try environment.admin(
                """
                INSERT INTO limits (team_id, subject, window_ends_at, count)
                VALUES ('ACMETEAM01', 'recovery.team', $1::timestamptz, 5000),
                    ('ACMETEAM01', 'recovery.address.192.0.2.1', $1::timestamptz, 20)
                """, (Timestamp.noon + .seconds(3600)).description)

            for name in ["ada@acme.example", "nobody@acme.example"] {
                #expect(try await ask(recovery, for: name, from: "192.0.2.2") == nil, "\(name)")
            }
            #expect(await outbox.count == 0)
            let links = try environment.admin("SELECT purpose FROM mailed_links")
            #expect(links == [["registration"], ["registration"]])

            let wait = try await ask(recovery, for: "ada@acme.example", from: "192.0.2.1", knownBrowser: "hers")
            #expect(wait == nil)
            #expect(await outbox.count == 1)
        }
    }

    @Test func `V43, V47: in names that nobody has uses up nothing of the team's`() async throws {
        try await withPasswords { passwords in
            let (environment, outbox) = (passwords.environment, Outbox())
            let recovery = recovery(passwords, outbox)
            func teamCount() throws -> [[String?]] {
                try environment.admin("SELECT count FROM limits WHERE subject = 'recovery.team'")
            }
            for number in 0..<30 {
                let wait = try await ask(recovery, for: "nobody\(number)@acme.example", from: "192.0.2.\(number)")
                #expect(wait == nil)
            }
            #expect(try teamCount().isEmpty)

            #expect(try await ask(recovery, for: "ada@acme.example", from: "198.51.100.7") == nil)
            #expect(try teamCount() == [["1"]])
            #expect(await outbox.count == 1)
        }
    }

    @Test func `V47: to known browsers is nine an hour in all, beside those of strangers`() async throws {
        try await withPasswords { passwords in
            let outbox = Outbox()
            let recovery = recovery(passwords, outbox)
            for number in 0..<5 {
                for _ in 0..<4 {
                    let wait = try await ask(
                        recovery, for: "ada@acme.example", from: "192.0.2.1", knownBrowser: "browser \(number)")
                    #expect(wait == nil)
                }
            }
            #expect(await outbox.count == 9)

            _ = try await ask(recovery, for: "ada@acme.example", from: "192.0.2.1")
            #expect(await outbox.count == 10)
        }
    }
}
