import Bytes
import Crypto
import Domain
import TestSupport
import Testing

@testable import Directory

@Suite struct `Guessing passwords` {
    @Test func `V31: ends after ten wrong ones, whether the account exists or not`() async throws {
        try await withPasswords { passwords in
            for login in ["ada@acme.example", "nobody@acme.example"] {
                try await passwords.fail(10, login)

                let result = try await passwords.authenticate(login)

                guard case .locked(let rest) = result else {
                    Issue.record("\(result)")
                    continue
                }
                #expect(rest == .seconds(900), "\(login)")
            }
        }
    }

    @Test func `V46: gets ten answers out of fifty tries at once`() async throws {
        try await withPasswords { passwords in
            for login in ["ada@acme.example", "nobody@acme.example"] {
                let words = try await race(50) { index in
                    try await passwords.authenticate(login, "wrong password", ip: "192.0.2.\(index)").word
                }

                #expect(words.count { $0 == "wrong" } == 10, "\(login)")
                #expect(words.count { $0 == "locked" } == 40)
            }
        }
    }

    @Test func `may go on when the window is over`() async throws {
        try await withPasswords { passwords in
            try await passwords.fail(10)

            let before = try await passwords.authenticate(at: Timestamp.noon + .seconds(899))
            let after = try await passwords.authenticate(at: Timestamp.noon + .seconds(900))

            #expect(before.word == "locked")
            #expect(after.word == "success")
        }
    }

    @Test func `begins anew after the right one`() async throws {
        try await withPasswords { passwords in
            try await passwords.fail(9)
            #expect(try await passwords.authenticate().word == "success")
            try await passwords.fail(9)

            #expect(try await passwords.authenticate().word == "success")
        }
    }

    @Test func `ends for an address after fifty, whatever the accounts, and locks nobody elsewhere`() async throws {
        try await withPasswords { passwords in
            for account in 0..<5 { try await passwords.fail(10, "nobody\(account)@acme.example") }

            #expect(try await passwords.authenticate().word == "locked")
            try await passwords.fail(20)
            #expect(try await passwords.authenticate(ip: "198.51.100.1").word == "success")
        }
    }

    @Test func `counts for an address beyond a right password, which itself costs nothing`() async throws {
        try await withPasswords { passwords in
            for account in 0..<4 { try await passwords.fail(10, "nobody\(account)@acme.example") }
            try await passwords.fail(9, "nobody4@acme.example")
            for _ in 0..<20 { #expect(try await passwords.authenticate().word == "success") }

            try await passwords.fail(1, "nobody4@acme.example")

            #expect(try await passwords.authenticate().word == "locked")
        }
    }

    @Test func `in a browser that the account knows has a limit of its own`() async throws {
        try await withPasswords { passwords in
            for _ in 0..<10 {
                let result = try await passwords.authenticate("ada@acme.example", "wrong password", knownBrowser: "a")
                #expect(result.word == "wrong")
            }
            #expect(try await passwords.authenticate().word == "success")
            try await passwords.fail(50)

            #expect(try await passwords.authenticate(knownBrowser: "a").word == "locked")
            #expect(try await passwords.authenticate(knownBrowser: "b").word == "success")
            #expect(try await passwords.authenticate().word == "locked")
        }
    }

    @Test func `at Rival locks nobody at Acme`() async throws {
        try await withPasswords { passwords in
            for _ in 0..<60 { _ = try await passwords.authenticate("ada@acme.example", "wrong password", in: .rival) }

            #expect(try await passwords.authenticate().word == "success")
        }
    }

    @Test func `and signing in side by side never wait for one another in a circle`() async throws {
        try await withPasswords { passwords in
            for name in ["Ben", "Cleo"] { try await passwords.environment.add(name, password: passwords.hash) }
            let logins = ["ada@acme.example", "ben@acme.example", "cleo@acme.example", "nobody@acme.example"]

            let words = try await race(300) { index in
                let password = index.isMultiple(of: 3) ? "wrong password" : PasswordEnvironment.password
                return try await passwords.authenticate(logins[index % 4], password, ip: "192.0.2.\(index % 5)").word
            }

            #expect(words.count == 300)
            #expect(words.allSatisfy { $0 != "busy" })
        }
    }

    @Test func `S18: from the networks of one IPv6 site have one allowance together beside their own`() async throws {
        try await withPasswords { passwords in
            let environment = passwords.environment
            try await passwords.fail(1, "nobody@acme.example", ip: "2001:db8:1:1::1")
            let site = "subject = 'password.site.20010db80001/48'"
            try environment.admin("UPDATE limits SET count = \(GuessLimitStore.perSite - 1) WHERE \(site)")
            // A right password costs nothing, here neither.
            for network in 2...4 {
                #expect(try await passwords.authenticate(ip: "2001:db8:1:\(network)::1").word == "success")
            }
            try await passwords.fail(1, "nobody@acme.example", ip: "2001:db8:1:5::1")
            let before = try environment.admin("SELECT FROM limits").count

            #expect(try await passwords.authenticate(ip: "2001:db8:1:6::1").word == "locked")

            // Nothing is counted for the networks or the accounts any more: the site locks out nobody else.
            try await passwords.fail(20, ip: "2001:db8:1:7::1")
            #expect(try environment.admin("SELECT FROM limits").count == before)
            #expect(try await passwords.authenticate(ip: "2001:db8:2:1::1").word == "success")
            #expect(try await passwords.authenticate(ip: "192.0.2.1").word == "success")
            #expect(try await passwords.authenticate(ip: "2001:db8:1:6::1", knownBrowser: "a").word == "success")
            let later = Timestamp.noon + GuessLimitStore.window
            #expect(try await passwords.authenticate(ip: "2001:db8:1:6::1", at: later).word == "success")
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "20010db800010002/64"),
        ("2001:db8:1:2::", "20010db800010002/64"), ("::1", "0000000000000000/64"), ("", ""),
        ("no address", "no address"),
    ]) func `is counted by IPv4 address or by IPv6 network`(ip: String, network: String) {
        #expect(GuessCounters.network(of: ip) == network)
    }
}
