import Bytes
import Crypto
import Domain
import Postgres
import Testing

@testable import Tenancy

@Suite struct `The first set-up` {
    private struct Trouble: Error {}

    private func complete(_ token: LinkToken, in world: World, at now: Timestamp = World.noon) async throws
        -> FirstRun.Outcome
    {
        let name = Hex.encode(RandomSource.system.bytes(16))
        return try await FirstRun(world.database, world.system).complete(
            token,
            team: world.settings("Acme"),
            from: World.origin,
            at: now
        ) { transaction in
            let subject = Subject(hexadecimal: name)
            try await transaction.query(
                "INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))"
            )
            return subject
        }
    }

    private func issue(in world: World, at now: Timestamp = World.noon) async throws -> LinkToken {
        try #require(try await world.links.issue(at: now))
    }

    @Test func `V45: makes an operator who owns the first team, and is over then`() async throws {
        try await withWorld { world in
            #expect(try await world.links.isOpen())
            let token = try await issue(in: world)

            let outcome = try await complete(token, in: world)

            guard case .completed(let account, let team) = outcome else { Issue.record("\(outcome)"); return }
            #expect(try await world.members.isOperator(account))
            #expect(try await world.members.find(account, in: team)?.role == .owner)
            #expect(try world.actions(in: .system) == ["member.added", "setup.completed"])
            #expect(try world.actions(in: team) == ["team.created", "member.added"])
            #expect(try await !world.links.isOpen())
            #expect(try await world.links.issue(at: World.noon) == nil)
        }
    }

    @Test func `happens once when 20 use the link at once`() async throws {
        try await withWorld { world in
            let token = try await issue(in: world)

            let outcomes = try await inParallel(20) { _ in try await complete(token, in: world) }

            #expect(outcomes.count { $0 != .refused } == 1)
            #expect(try world.admin("SELECT count(*) FROM users") == [["1"]])
            #expect(try world.admin("SELECT count(*) FROM teams WHERE NOT is_system") == [["1"]])
        }
    }

    @Test func `happens once even where every use of the link is let through`() async throws {
        try await withWorld { world in
            let tokens = (0..<10).map { _ in LinkToken(random: .system) }
            for token in tokens {
                try world.admin(
                    "INSERT INTO setup_links (token_hash, expires_at) VALUES (decode($1, 'hex'), 'infinity')",
                    Hex.encode(token.hash)
                )
            }

            let outcomes = try await inParallel(10) { try await complete(tokens[$0], in: world) }

            #expect(outcomes.count { $0 != .refused } == 1)
            #expect(try world.admin("SELECT count(*) FROM memberships WHERE role = 'operator'") == [["1"]])
        }
    }

    @Test func `can be tried again after an error, which leaves nothing behind`() async throws {
        try await withWorld { world in
            let token = try await issue(in: world)

            await #expect(throws: Trouble.self) {
                _ = try await FirstRun(world.database, world.system).complete(
                    token,
                    team: world.settings("Acme"),
                    from: World.origin,
                    at: World.noon
                ) { transaction in
                    let subject = Subject(hexadecimal: "ada")
                    try await transaction.query(
                        "INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))"
                    )
                    throw Trouble()
                }
            }

            #expect(try world.admin("SELECT count(*) FROM users") == [["0"]])
            let outcome = try await complete(token, in: world)
            #expect(outcome != .refused)
        }
    }

    @Test func `can be tried again a minute after a crash`() async throws {
        try await withWorld { world in
            let token = try await issue(in: world)
            #expect(try await world.links.claim(token, at: World.noon))

            let soon = try await complete(token, in: world, at: World.noon + .seconds(59))
            let later = try await complete(token, in: world, at: World.noon + .seconds(60))

            #expect(soon == .refused)
            #expect(later != .refused)
        }
    }

    @Test func `link lives for a day`() async throws {
        try await withWorld { world in
            let token = try await issue(in: world)
            let end = World.noon + .seconds(24 * 3600)

            #expect(try await world.links.isUsable(token, at: end - .seconds(1)))
            #expect(try await !world.links.isUsable(token, at: end))
            let outcome = try await complete(token, in: world, at: end)
            #expect(outcome == .refused)
        }
    }

    @Test func `V45: link is void when a fresh one was made`() async throws {
        try await withWorld { world in
            let old = try await issue(in: world)
            let new = try await issue(in: world)

            let first = try await complete(old, in: world)
            let second = try await complete(new, in: world)

            #expect(first == .refused)
            #expect(second != .refused)
        }
    }

    @Test func `link is known by hash alone, and to its very last bit`() async throws {
        try await withWorld { world in
            let token = try await issue(in: world)
            var bytes = try #require(Base64URL.decode(token.text))
            let stored = try world.admin("SELECT encode(token_hash, 'hex') FROM setup_links")
            #expect(stored == [[Hex.encode(SHA256.hash(bytes))]])

            bytes[31] ^= 1
            let other = try #require(LinkToken(text: Base64URL.encode(bytes)))

            #expect(try await !world.links.isUsable(other, at: World.noon))
            for text in ["", token.text + "=", String(token.text.dropLast()), token.text + "AA"] {
                #expect(LinkToken(text: text) == nil)
            }
            #expect(!String(reflecting: token).contains(token.text))
        }
    }
}
