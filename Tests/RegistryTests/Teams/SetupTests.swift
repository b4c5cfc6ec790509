import Core
import Crypto
import Platform
import Postgres
import TestSupport
import Testing

@testable import Registry

@Suite struct `The first set-up` {
    private struct Trouble: Error {}

    private func complete(_ token: LinkToken, in environment: TestEnvironment, at now: Timestamp = .noon) async throws
        -> FirstRun.Outcome
    {
        let name = Hex.encode(RandomSource.system.bytes(16))
        return try await FirstRun(environment.database, environment.system).complete(
            token, team: environment.settings("Acme"), from: .test, at: now
        ) { change in
            let subject = Subject(hexadecimal: name)
            try await change.query("INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))")
            return subject
        }
    }

    private func issue(in environment: TestEnvironment, at now: Timestamp = .noon) async throws -> LinkToken {
        try #require(try await environment.links.issue(at: now))
    }

    private func withLink(_ body: @escaping @Sendable (TestEnvironment, LinkToken) async throws -> Void) async throws {
        try await withEnvironment { environment in try await body(environment, try await issue(in: environment)) }
    }

    @Test func `V45: makes an operator who owns the first team, and is over then`() async throws {
        try await withEnvironment { environment in
            #expect(try await environment.links.isOpen())
            let token = try await issue(in: environment)

            let outcome = try await complete(token, in: environment)

            guard case .completed(let account, let team) = outcome else { return #expect(Bool(false), "\(outcome)") }
            #expect(try await environment.rights.find(of: account).isOperator)
            #expect(try await environment.members.find(account, in: team)?.role == .owner)
            #expect(try environment.allActions(in: .system) == ["member.added", "setup.completed"])
            #expect(try environment.allActions(in: team) == ["team.created", "member.added"])
            #expect(try await !environment.links.isOpen())
            #expect(try await environment.links.issue(at: .noon) == nil)
        }
    }

    @Test func `happens once even where every use of the link is let through`() async throws {
        try await withEnvironment { environment in
            let tokens = (0..<10).map { _ in LinkToken(random: .system) }
            for token in tokens {
                try environment.admin(
                    "INSERT INTO setup_links (token_hash, expires_at) VALUES (decode($1, 'hex'), 'infinity')",
                    Hex.encode(token.hash))
            }

            let outcomes = try await race(10) { try await complete(tokens[$0], in: environment) }

            #expect(outcomes.count { $0 != .refused } == 1)
            #expect(try environment.admin("SELECT count(*) FROM memberships WHERE role = 'operator'") == [["1"]])
        }
    }

    @Test func `can be tried again after an error, which leaves nothing behind`() async throws {
        try await withLink { environment, token in
            await #expect(throws: Trouble.self) {
                _ = try await FirstRun(environment.database, environment.system).complete(
                    token, team: environment.settings("Acme"), from: .test, at: .noon
                ) { change in
                    let subject = Subject(hexadecimal: "ada")
                    try await change.query("INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))")
                    throw Trouble()
                }
            }

            #expect(try environment.count("users") == 0)
            let outcome = try await complete(token, in: environment)
            #expect(outcome != .refused)
        }
    }

    @Test func `can be tried again a minute after a crash`() async throws {
        try await withLink { environment, token in
            #expect(try await environment.links.claim(token, at: .noon))

            let soon = try await complete(token, in: environment, at: Timestamp.noon + .seconds(59))
            let later = try await complete(token, in: environment, at: Timestamp.noon + .seconds(60))

            #expect(soon == .refused)
            #expect(later != .refused)
        }
    }

    @Test func `link lives for a day`() async throws {
        try await withLink { environment, token in
            let end = Timestamp.noon + .seconds(24 * 3600)

            #expect(try await environment.links.isUsable(token, at: end - .seconds(1)))
            #expect(try await !environment.links.isUsable(token, at: end))
            let outcome = try await complete(token, in: environment, at: end)
            #expect(outcome == .refused)
        }
    }

    @Test func `V45: link is void when a fresh one was made`() async throws {
        try await withEnvironment { environment in
            let old = try await issue(in: environment)
            let new = try await issue(in: environment)

            let first = try await complete(old, in: environment)
            let second = try await complete(new, in: environment)

            #expect(first == .refused)
            #expect(second != .refused)
        }
    }

    @Test func `V57: link is known by hash alone, and to its very last bit`() async throws {
        try await withLink { environment, token in
            var bytes = try #require(Base64URL.decode(token.text))
            let stored = try environment.admin("SELECT encode(token_hash, 'hex') FROM setup_links")
            #expect(stored == [[Hex.encode(SHA256.hash(bytes))]])

            bytes[31] ^= 1
            let other = try #require(LinkToken(text: Base64URL.encode(bytes)))

            #expect(try await !environment.links.isUsable(other, at: .noon))
            for text in ["", token.text + "=", String(token.text.dropLast()), token.text + "AA"] {
                #expect(LinkToken(text: text) == nil)
            }
            #expect(!String(reflecting: token).contains(token.text))
        }
    }
}
