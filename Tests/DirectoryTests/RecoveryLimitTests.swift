import Bytes
import Crypto
import Domain
import Localization
import Testing

@testable import Directory

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
            AccountCaller(
                team: .acme, language: .english, origin: Origin(ip: ip, userAgent: "Test/1.0", requestID: "request-1"),
                now: TestEnvironment.noon))
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
                """, (TestEnvironment.noon + .seconds(3600)).description)

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
