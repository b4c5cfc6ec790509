import Core
import Crypto
import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

@testable import Directory

@Suite struct `Signing in by password` {
    @Test func `succeeds with the right one, however the login name is typed`() async throws {
        try await withPasswords { passwords in
            let result = try await passwords.authenticate(" ADA@acme.example ")

            guard case .success(let user, _) = result else { return #expect(Bool(false), "\(result)") }
            #expect(user.name.given == "Ada")
        }
    }

    @Test func `V31: fails alike with a wrong one and for an unknown account`() async throws {
        try await withPasswords { passwords in
            for (login, password) in [
                ("ada@acme.example", "wrong password"), ("ada@acme.example", ""), ("ada@acme.example", "Correct horse"),
                ("ada@acme.example", "correct horse "), ("ada@acme.example", "correct horse\0"),
                ("ada@acme.example", String(repeating: "x", count: 100_000)), ("ben@acme.example", "correct horse"),
                ("", "correct horse"), ("ada@acme.example\0", "correct horse"), ("ädä", "correct horse"),
                (String(repeating: "a", count: 100_000), "correct horse"),
            ] {
                let result = try await passwords.authenticate(login, password)
                #expect(result.word == "wrong", "\(login.prefix(20)) \(password.prefix(20))")
            }
        }
    }

    @Test func `V67, V68: takes a hundred right passwords of an account in a quarter of an hour, and hashes no more`()
        async throws
    {
        try await withPasswords { passwords in
            try await passwords.environment.add("Ben", password: passwords.hash)
            for number in 0..<100 {
                #expect(try await passwords.authenticate(ip: "192.0.2.\(number)").word == "success")
            }
            let calls = passwords.pool.callCount

            for browser in [nil, "known"] {
                #expect(try await passwords.authenticate(knownBrowser: browser).word == "locked")
            }
            #expect(passwords.pool.callCount == calls)
            #expect(try await passwords.authenticate("ben@acme.example").word == "success")
            #expect(try await passwords.authenticate(at: .noon + .seconds(901)).word == "success")
        }
    }

    @Test func `fails for a person without a password and for a suspended one`() async throws {
        try await withPasswords { passwords in
            try await passwords.environment.add("Ben")
            try passwords.environment.admin("UPDATE users SET suspended_at = now() WHERE given_name = 'Ada'")

            #expect(try await passwords.authenticate("ben@acme.example").word == "wrong")
            #expect(try await passwords.authenticate("ada@acme.example").word == "wrong")
        }
    }

    @Test func `records refusals of known people and none of invented names`() async throws {
        try await withPasswords { passwords in
            try await passwords.fail(1)
            try await passwords.fail(3, "nobody@acme.example")

            #expect(try passwords.environment.actions() == ["sign_in.refused"])
            #expect(
                try passwords.environment.admin(
                    "SELECT outcome, ip, after->>'reason' FROM audit_events WHERE action = 'sign_in.refused'") == [
                        ["refused", Origin.test.ip, "wrong password"]
                    ])
        }
    }

    @Test func `never writes what was typed anywhere`() async throws {
        try await withPasswords { passwords in
            _ = try await passwords.authenticate("ada@acme.example", "hunter2hunter2")
            _ = try await passwords.authenticate("hunter2hunter2", "hunter2hunter2")

            for table in ["limits", "audit_events", "passwords"] {
                let rows = try passwords.environment.admin("SELECT \(table)::text FROM \(table)")
                #expect(rows.allSatisfy { $0[0]?.contains("hunter2") == false }, "\(table)")
            }
        }
    }

    @Test func `puts a costlier hash in the place of a cheap one`() async throws {
        let costlier = Argon2id(memoryKiB: 16, passes: 2)
        try await withPasswords(costlier) { passwords in
            let cheap = try TestEnvironment.cheap.hash(PasswordEnvironment.password)
            try passwords.environment.admin("UPDATE passwords SET hash = $1", cheap.text)

            #expect(try await passwords.authenticate().word == "success")

            let stored = try passwords.environment.admin("SELECT hash FROM passwords")[0][0].flatMap(PasswordHash.init)
            #expect(stored.map(costlier.needsRehash) == false)
            #expect(try await passwords.authenticate().word == "success")
        }
    }

    @Test func `is told to come back when too many wait, and nothing is counted`() async throws {
        try await withPasswords(queueLimit: 0) { passwords in
            for _ in 0..<12 {
                let result = try await passwords.authenticate()
                #expect(result.word == "busy")
            }

            #expect(try passwords.environment.admin("SELECT DISTINCT count FROM limits") == [["0"]])
        }
    }

    @Test func `fails loudly on a hash that is none`() async throws {
        try await withPasswords { passwords in
            try passwords.environment.admin("UPDATE passwords SET hash = 'rot13'")

            await #expect(throws: PostgresFailure.self) { try await passwords.authenticate() }
        }
    }

    /// Counted, not timed: `Argon2id` compares with a decoy of the same cost where there is no hash.
    @Test func `V31: takes one hash, whether the account exists, has a password, may sign in, or not`() async throws {
        try await withPasswords { passwords in
            try await passwords.environment.add("Ben")
            try await passwords.environment.add("Cleo", password: passwords.hash)
            try passwords.environment.admin("UPDATE users SET suspended_at = now() WHERE given_name = 'Cleo'")
            let logins = ["ada", "ben", "cleo", "nobody"].map { "\($0)@acme.example" }
            for login in logins + ["", " ", "no address", String(repeating: "a", count: 300)] {
                for password in ["wrong", "", String(repeating: "a", count: 5000)] {
                    let before = passwords.pool.callCount
                    let result = try await passwords.authenticate(login, password)
                    #expect(result.word == "wrong")
                    #expect(passwords.pool.callCount == before + 1, "\(login) \(password.prefix(5))")
                }
            }
        }
    }
}

@Suite struct `Guessing passwords` {
    @Test func `V31, V46: gets ten answers out of fifty at once, whether the account exists or not`() async throws {
        try await withPasswords { passwords in
            for login in ["ada@acme.example", "nobody@acme.example"] {
                let words = try await race(50) { index in
                    try await passwords.authenticate(login, "wrong password", ip: "192.0.2.\(index)").word
                }
                #expect(words.count { $0 == "wrong" } == 10 && words.count { $0 == "locked" } == 40, "\(login)")
                #expect(try await passwords.authenticate(login).word == "locked", "\(login)")
            }
            // A browser that Ada has signed in with, and the same name at another team, have counts of their own.
            #expect(try await passwords.authenticate(knownBrowser: "hers").word == "success")
            #expect(try await passwords.authenticate(in: .rival).word == "wrong")
            let later = Timestamp.noon + RateLimit.failedProofs.window
            #expect(try await passwords.authenticate(at: later).word == "success")
        }
    }

    @Test func `begins anew after the right one, of people who mistype nine times`() async throws {
        try await withPasswords { passwords in
            for _ in 0..<6 {
                try await passwords.fail(9)
                #expect(try await passwords.authenticate().word == "success")
                try passwords.environment.admin("DELETE FROM limits WHERE subject LIKE 'failed-proofs-of-network.%'")
            }
        }
    }

    @Test func `ends for a network after fifty, whatever the accounts, and locks nobody elsewhere`() async throws {
        try await withPasswords { passwords in
            for number in 0..<60 { try await passwords.fail(1, "person\(number)@acme.example") }
            for _ in 0..<20 { #expect(try await passwords.authenticate().word == "locked") }
            #expect(try await passwords.authenticate(ip: "198.51.100.7").word == "success")
        }
    }
}

/// RFC 8265 section 4.2.
@Suite struct `A password in other letters than ASCII` {
    private static let pairs = [
        ("Gr\u{FC}nkohl-Teller-7", "Gru\u{308}nkohl-Teller-7"),
        ("\u{D55C}\u{AE00} 7", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF} 7"),
        ("\u{E4} \u{E4}", "\u{E4}\u{A0}\u{E4}"), ("\u{E4} \u{E4}", "a\u{308}\u{3000}\u{E4}"),
    ]

    /// What a new password's hash is of.
    private func set(_ password: String, _ passwords: PasswordEnvironment) throws {
        try passwords.environment.admin(
            "UPDATE passwords SET hash = $1", try TestEnvironment.cheap.hash(password.normalizedPassword).text)
    }

    @Test func `is the same however it is typed`() async throws {
        try await withPasswords { passwords in
            for (one, other) in Self.pairs {
                for password in [one, other] {
                    try set(password, passwords)
                    for typed in [one, other] {
                        #expect(
                            try await passwords.authenticate("ada@acme.example", typed).word == "success", "\(typed)")
                    }
                }
                #expect(try await passwords.authenticate("ada@acme.example", one + "\u{308}").word == "wrong")
            }
        }
    }

    @Test func `is taken normalized where it is new`() throws {
        for (one, other) in Self.pairs {
            #expect(one.normalizedPassword.isExactly(one) && other.normalizedPassword.isExactly(one))
        }
        let typed = "Gru\u{308}nkohl\u{A0}Teller 7"
        let new = try NewPassword(typed, by: PasswordRule(in: .acme, email: nil))
        #expect(new.text.isExactly("Gr\u{FC}nkohl Teller 7"))
        // A syllable of Hangul counts once.
        #expect(throws: NewPassword.Problem.tooShort(8)) {
            try NewPassword(
                "\u{1112}\u{1161}\u{11AB}\u{1112}\u{1161}\u{11AB}\u{1112}\u{1161}\u{11AB}",
                by: PasswordRule(in: .acme, email: nil))
        }
    }

    @Test func `is wrong when it is longer than any, and for nobody`() async throws {
        try await withPasswords { passwords in
            for login in ["ada@acme.example", "nobody@acme.example"] {
                for text in [
                    String(repeating: "a\u{308}", count: 500), String(repeating: "\u{958}", count: 200), "a\u{308}",
                ] {
                    let result = try await passwords.authenticate(login, text)
                    #expect(result.word == "wrong")
                }
            }
        }
    }
}

@Suite struct `Setting a password` {
    @Test func `ends all sessions but the one that asked for it`() async throws {
        try await withPasswords { passwords in
            let environment = passwords.environment
            let ada = try await passwords.ada()
            let kept = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let lost = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let id = try #require(try await environment.sessions.find(kept, in: .acme)).id
            let new = try TestEnvironment.cheap.hash("battery staple")

            let changed = try await environment.database.change(in: .acme, by: .person(ada), from: .test) { change in
                try await PasswordStore.set(new, for: ada, keeping: id, change)
            }

            #expect(changed)
            #expect(try await passwords.authenticate().word == "wrong")
            #expect(try await passwords.authenticate("ada@acme.example", "battery staple").word == "success")
            #expect(try await environment.sessions.find(kept, in: .acme) != nil)
            #expect(try await environment.sessions.find(lost, in: .acme) == nil)
            #expect(try environment.actions().contains("password.changed"))
        }
    }

    @Test func `by another is a reset, and may be a person's first`() async throws {
        try await withPasswords { passwords in
            let (ada, ben) = (try await passwords.ada(), try await passwords.environment.add("Ben"))

            let changed = try await passwords.environment.database.change(in: .acme, by: .member(ada), from: .test) {
                change in try await PasswordStore.set(passwords.hash, for: ben, change)
            }

            #expect(changed)
            #expect(try await passwords.authenticate("ben@acme.example").word == "success")
            #expect(try passwords.environment.actions() == ["password.reset"])
        }
    }

    @Test func `is not undone by a better hash of the password before`() async throws {
        try await withPasswords { passwords in
            let store = PasswordStore(passwords.environment.database)
            let ada = try await passwords.ada()
            let old = try TestEnvironment.cheap.hash("an older password")

            try await store.replace(old, with: try TestEnvironment.cheap.hash("an older password"), of: ada, in: .acme)

            #expect(try await passwords.authenticate().word == "success")
        }
    }
}
