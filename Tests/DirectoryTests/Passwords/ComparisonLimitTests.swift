import Bytes
import Domain
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Directory

/// Right passwords, which are no guesses and cost as much.
@Suite struct `A password that is right` {
    @Test func `V43: is compared a hundred times in a quarter of an hour, in a known browser too`() async throws {
        try await withPasswords { passwords in
            for browser in [nil, "a"] as [String?] {
                try passwords.environment.forgetCounts()
                let calls = passwords.pool.callCount
                var words: [String: Int] = [:]
                for _ in 0..<120 {
                    words[try await passwords.authenticate(knownBrowser: browser).word, default: 0] += 1
                }
                #expect(words == ["success": ComparisonLimits.perAccount, "too many": 20])
                #expect(passwords.pool.callCount == calls + ComparisonLimits.perAccount)

                // What was not compared locks nobody, and others have an allowance of their own.
                let later = Timestamp.noon + ComparisonLimits.accountWindow
                #expect(try await passwords.authenticate(knownBrowser: browser, at: later).word == "success")
                #expect(try await passwords.authenticate(knownBrowser: "another").word == "success")
            }
        }
    }

    @Test func `V43: is compared for an address 300 times a minute, whosever it is`() async throws {
        try await withPasswords { passwords in
            for browser in [nil, "a", "b"] {
                #expect(try await passwords.authenticate(knownBrowser: browser).word == "success")
            }
            let addresses = "subject LIKE 'compared.address.%'"
            #expect(try passwords.environment.admin("SELECT count::text FROM limits WHERE \(addresses)") == [["3"]])
            try passwords.environment.admin("UPDATE limits SET count = 300 WHERE \(addresses)")

            let calls = passwords.pool.callCount
            for login in ["ada@acme.example", "nobody@acme.example"] {
                for browser in [nil, "a"] {
                    let result = try await passwords.authenticate(login, knownBrowser: browser)
                    guard case .tooMany(let rest) = result else {
                        Issue.record("\(result)");
                        continue
                    }
                    #expect(rest == ComparisonLimits.addressWindow)
                }
            }
            #expect(passwords.pool.callCount == calls)
            // What is refused to an address counts against no account.
            for _ in 0..<(2 * ComparisonLimits.perAccount) {
                #expect(try await passwords.authenticate("ada@acme.example", "wrong").word == "too many")
            }
            let account = GuessCounters(login: "ada@acme.example", ip: "", knownBrowser: nil).account
            let counted = try passwords.environment.admin(
                "SELECT count::text FROM limits WHERE subject = $1", LimitSubject.account("compared", account).text)
            #expect(counted == [["1"]])
            #expect(try await passwords.authenticate(ip: "198.51.100.1").word == "success")
            let later = Timestamp.noon + ComparisonLimits.addressWindow
            #expect(try await passwords.authenticate(at: later).word == "success")
        }
    }

    @Test func `V43: is compared for a site of IPv6 as often as for sixteen addresses`() async throws {
        try await withPasswords { passwords in
            #expect(try await passwords.authenticate(ip: "2001:db8:1:1::1").word == "success")
            try passwords.environment.setCounted("compared.site.%", to: 4800)
            #expect(try await passwords.authenticate(ip: "2001:db8:1:2::1").word == "too many")
            #expect(try await passwords.authenticate(ip: "2001:db8:2:1::1").word == "success")
        }
    }

    /// By what waits, not by the clock: nothing is compared until the end.
    @Test func `V43: leaves places for others of the team, however many one account or one network sends`() async throws
    {
        let pool = try BlockingPool(name: "hash", threads: 1, queueLimit: 16)
        defer { pool.stop() }
        let hasher = PasswordHasher(pool: pool, judges: pool, argon2id: TestEnvironment.cheap, places: 16)
        let latch = try Latch()
        let held = Task { try await pool.run { latch.wait() } }
        try await waitUntil { pool.callCount > 0 }
        func verify(_ account: String, _ ip: String, in team: TeamID = .acme) async -> Bool {
            let askers = PasswordQueue.Askers(account: account, ip: ip)
            do {
                _ = try await hasher.verify("wrong", against: nil, in: team, for: askers)
                return true
            } catch { return false }
        }

        try await withThrowingTaskGroup(of: Bool.self) { group in
            // An account has two of the sixteen places, from wherever; a network four.
            for (number, askers) in [
                ("one", "192.0.2.1"), ("one", "192.0.2.2"), ("two", "192.0.2.1"), ("three", "192.0.2.1"),
                ("four", "192.0.2.1"),
            ].enumerated() {
                group.addTask { await verify(askers.0, askers.1) }
                try await waitUntil { pool.waitingCount > number }
            }
            #expect(await !verify("one", "192.0.2.3"))
            #expect(await !verify("five", "192.0.2.1"))
            #expect(await !verify("five", "192.0.2.1", in: .rival))
            group.addTask { await verify("five", "192.0.2.2") }
            try await waitUntil { pool.waitingCount >= 6 }
            latch.open()
            for try await isCompared in group { #expect(isCompared) }
        }
        try await held.value
        // Places are given back.
        #expect(await verify("one", "192.0.2.1"))
    }
}
