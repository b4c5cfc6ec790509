import Core
import Crypto
import Platform
import Synchronization
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// How keys come and go, point P11 of the conformance list.
@Suite struct SigningKeyRotationTests {
    /// Made once: a key keeps a core busy for a while.
    private static let spare: RSASigningKey = {
        do { return try RSASigningKey.generate() } catch { preconditionFailure("no RSA key: \(error)") }
    }()

    private struct Trouble: Error {}

    private func rotation(_ engine: Engine) -> SigningKeyRotation {
        SigningKeyRotation(engine.database, keyRing: engine.server.keyRing) { _ in Self.spare }
    }

    private func rotate(_ engine: Engine, in team: TeamID = .acme, by rotation: SigningKeyRotation? = nil) async throws
        -> SigningKeyRotation.Outcome
    {
        try await (rotation ?? self.rotation(engine)).rotate(
            in: team, at: engine.clock.now, reason: "by hand", by: .member(engine.ada), from: .test)
    }

    private func replace(_ engine: Engine, in team: TeamID = .acme, by rotation: SigningKeyRotation? = nil) async throws
    {
        try await (rotation ?? self.rotation(engine)).replace(
            in: team, at: engine.clock.now, reason: "leaked", by: .member(engine.ada), from: .test)
    }

    private func published(_ engine: Engine, in team: TeamID = .acme) async throws -> [String?] {
        try JWKSet(json: try await engine.snapshot(team).keySet(at: engine.clock.now)).keys.map(\.keyID)
    }

    private func signer(_ engine: Engine) async throws -> String? {
        try await engine.snapshot().signingKey(at: engine.clock.now)?.kid
    }

    @Test func `P11: the next key is published a day before it signs, the old one until its tokens end`() async throws {
        try await withEngine { engine in
            let old = try #require(try await signer(engine))
            let before = try await engine.tokens().idToken
            #expect(try await rotate(engine) == .done)
            let both = try await published(engine)
            #expect(both.count == 2 && both.first == old)
            #expect(try await signer(engine) == old)

            engine.clock.advance(by: .seconds(86_399))
            #expect(try await signer(engine) == old)
            engine.clock.advance(by: .seconds(1))
            #expect(try await signer(engine) == both.last)
            _ = try await engine.claims(before)
            #expect(try await engine.claims(try await engine.tokens().idToken).string("aud") == "com.acme.web")
            // The one that signs comes first.
            #expect(try await published(engine) == both.reversed())

            engine.clock.advance(by: .seconds(86_400))
            #expect(try await published(engine) == [both.last])
            #expect(try engine.actions().contains("signing_key.rotated"))
        }
    }

    @Test func `while one key is waiting there is no second, however many ask`() async throws {
        try await withEngine { engine in
            let answers = try await race(5) { _ in try await rotate(engine) }
            #expect(answers.count { $0 == .done } == 1)
            #expect(try await published(engine).count == 2)
        }
    }

    @Test func `a key that leaked is replaced at once, and what it signed verifies no more`() async throws {
        try await withEngine { engine in
            let old = try #require(try await signer(engine))
            let token = try await engine.tokens().idToken
            try await replace(engine)
            let keys = try await published(engine)
            #expect(keys.count == 1 && keys.first != old)
            let kid = try UnverifiedJWT(token).header.keyID
            #expect(kid == old)
            _ = try await engine.claims(try await engine.tokens().idToken)
        }
    }

    @Test func `the schedule rotates after ninety days, and forgets what is long over`() async throws {
        try await withEngine { engine in
            let isEarly = try await rotation(engine).keep(.acme, at: engine.clock.now)
            #expect(!isEarly)
            engine.clock.advance(by: .seconds(90 * 86_400))
            #expect(try await rotation(engine).keep(.acme, at: engine.clock.now))
            #expect(try await !rotation(engine).keep(.acme, at: engine.clock.now))
            #expect(try await published(engine).count == 2)
            engine.clock.advance(by: .seconds(40 * 86_400))
            #expect(try await rotation(engine).keep(.acme, at: engine.clock.now))
            #expect(try await engine.snapshot().signingKeys.count == 1)
        }
    }

    @Test func `P11, V43: a team whose key cannot be made keeps no other's from being rotated`() async throws {
        try await withEngine { engine in
            engine.clock.advance(by: .seconds(90 * 86_400))
            let (database, keyRing) = (engine.database, engine.server.keyRing)
            let rotation = SigningKeyRotation(database, keyRing: keyRing) { team in
                guard team != .acme else { throw Trouble() }
                return Self.spare
            }
            let told = Mutex<[TeamID]>([])

            await #expect(throws: Trouble.self) {
                try await [TeamID.acme, .rival].forEachTeam { team in
                    if try await rotation.keep(team, at: engine.clock.now) { told.withLock { $0.append(team) } }
                }
            }

            #expect(told.withLock { $0 } == [.rival])
            let keys = try await published(engine, in: .rival)
            #expect(keys.count == 2)
        }
    }

    @Test func `S6, V43, V46: a team has so many keys made, however many ask at once, and none in vain`() async throws {
        // Beforehand, since whatever makes a key keeps the loop, and with it the connections, for seconds.
        let spare = Mutex(try (0..<4).map { _ in try RSASigningKey.generate(bits: 2048) })
        try await withEngine(limits: ["heavy-work": 3]) { engine in
            let counting = SigningKeyRotation(engine.database, keyRing: engine.server.keyRing) { _ in
                try #require(spare.withLock { $0.popLast() })
            }
            // One that waits is seen before another is made, and costs nothing of the allowance.
            #expect(try await rotate(engine) == .done)
            #expect(try await rotate(engine, by: counting) == .waiting)
            #expect(spare.withLock { $0.count } == 4)

            let refusal = TooManyRequests(limit: .heavyWork, wait: RateLimit.heavyWork.window)
            #expect(try await race(20, refused: refusal) { _ in try await replace(engine, by: counting) } == 2)
            // Neither another team nor a later hour is held up.
            try await replace(engine, in: .rival, by: counting)
            engine.clock.advance(by: RateLimit.heavyWork.window)
            try await replace(engine, by: counting)
            #expect(spare.withLock { $0.isEmpty })
        }
    }

    @Test func `Rival's rotation leaves Acme's keys alone`() async throws {
        try await withEngine { engine in
            let before = try await published(engine)
            #expect(try await rotate(engine, in: .rival) == .done)
            #expect(try await published(engine) == before)
            #expect(try await published(engine, in: .rival).count == 2)
        }
    }
}
