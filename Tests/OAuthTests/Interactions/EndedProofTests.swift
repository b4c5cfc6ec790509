import Bytes
import Crypto
import Directory
import Domain
import Postgres
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// Proofs whose credential is another by now.
@Suite struct EndedProofTests {
    /// What takes the worth from a proof that was given before.
    enum Change: CaseIterable, Sendable {
        case password, suspension, suspensionLifted, factorRemoved, factorsReset, factorReplaced, codesRenewed
    }

    @Test(arguments: Change.allCases, [ProofMethod.password, .passkey, .mailedLink])
    func `S36: a proof that was checked before a credential changed is not kept after`(
        change: Change, method: ProofMethod
    ) async throws {
        try await withEngine { engine in
            try await Self.addTOTP(engine)
            let user = try await Self.ada(engine)
            let interaction = try await Self.begin(engine)
            try await Self.make(change, engine)
            #expect(try await Self.prove(user, by: method, interaction, engine) == false)
            // Once more, with what is there now; not for somebody who is suspended.
            let now = try await Self.ada(engine)
            #expect(try await Self.prove(now, by: method, interaction, engine) == (change != .suspension))
        }
    }

    @Test(arguments: Change.allCases, [SecondFactorDue.nothing, .proof])
    func `S36: a sign-in under way ends with the credential that was its proof`(change: Change, due: SecondFactorDue)
        async throws
    {
        try await withEngine { engine in
            try await Self.addTOTP(engine)
            let user = try await Self.ada(engine)
            let interaction = try await Self.begin(engine)
            #expect(try await Self.prove(user, by: .password, owing: due, interaction, engine))
            if due == .proof { #expect(try await Self.proveAgain(interaction, engine)) }
            try await Self.make(change, engine)
            #expect(try await Self.enter(interaction, engine) == nil)
            #expect(try engine.teams.admin("SELECT FROM sessions").isEmpty)
            #expect(try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .acme) == nil)
        }
    }

    @Test func `S36: a second proof is not kept after the first one's credential changed`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            #expect(try await Self.prove(Self.ada(engine), by: .password, owing: .proof, interaction, engine))
            // As a request that read the attempt before it was deleted.
            try engine.teams.admin(
                "UPDATE users SET credentials_version = credentials_version + 1 WHERE sub = $1", engine.ada.rawValue)
            #expect(try await Self.proveAgain(interaction, engine) == false)
        }
    }

    @Test func `S36, V54: a proof that was noted while the password changed makes no session after it`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            let user = try await Self.ada(engine)
            let hash = try TestTeams.argon2id.hash("another password")
            let session = try await engine.teams.database.transaction(in: .acme) { transaction in
                _ = try await PasswordStore.set(
                    hash, for: engine.ada, in: .acme, by: .system("test"), from: TestTeams.origin, transaction)
                // The change has ended the sign-ins it saw; this one was proved by the password before, and is noted now.
                #expect(try await Self.prove(user, by: .password, interaction, engine))
                let session = Task(executorPreference: engine.teams.loop) { try await Self.enter(interaction, engine) }
                try await engine.teams.waitForWaiter(of: transaction)
                return session
            }
            #expect(try await session.value == nil)
            #expect(try engine.teams.admin("SELECT FROM sessions").isEmpty)
        }
    }

    @Test func `a proof that the previous release noted counts on`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            #expect(try await Self.prove(Self.ada(engine), by: .password, interaction, engine))
            try engine.teams.admin("UPDATE attempts SET credentials_version = NULL")
            #expect(try await Self.enter(interaction, engine) != nil)
        }
    }
}

extension EndedProofTests {
    private static func ada(_ engine: Engine) async throws -> User {
        try #require(try await UserStore(engine.teams.database).find(engine.ada, in: .acme))
    }

    private static func begin(_ engine: Engine) async throws -> Interaction {
        try await engine.interactions.begin(next: "/x", browserHash: Engine.browser, in: .acme)
    }

    private static func prove(
        _ user: User, by method: ProofMethod, owing due: SecondFactorDue = .nothing, _ interaction: Interaction,
        _ engine: Engine
    ) async throws -> Bool {
        try await engine.interactions.prove(
            user, by: method, login: "", owing: due, in: interaction, browserHash: Engine.browser, of: .acme)
    }

    private static func proveAgain(_ interaction: Interaction, _ engine: Engine) async throws -> Bool {
        try await engine.interactions.proveAgain(
            engine.ada, by: .totp, in: interaction, browserHash: Engine.browser, of: .acme)
    }

    /// Makes a session of the proofs, as the hosted pages do.
    private static func enter(_ interaction: Interaction, _ engine: Engine) async throws -> SessionToken? {
        let beginning = SessionStore.Beginning(
            of: engine.ada, by: [.password], to: nil, from: TestTeams.origin, replacing: nil, at: engine.clock.now)
        return try await engine.interactions.enter(interaction, browserHash: Engine.browser, of: .acme) { proofs in
            try await engine.teams.sessions.begin(beginning, taking: proofs, in: .acme)
        }
    }

    private static func addTOTP(_ engine: Engine) async throws {
        let then = engine.clock.now - .seconds(3600)
        _ = try await enrol(engine, at: then)
    }

    private static func enrol(_ engine: Engine, at moment: Timestamp) async throws {
        let secret = TOTPSecret(random: .system)
        let store = TOTPStore(engine.teams.database, keyRing: engine.teams.server.keyRing)
        _ = try await store.enrol(
            secret, provedBy: TOTP.code(of: secret, step: TOTP.step(atSeconds: moment.seconds)), of: engine.ada,
            in: .acme, from: TestTeams.origin, at: moment)
    }

    private static func make(_ change: Change, _ engine: Engine) async throws {
        let (database, ring) = (engine.teams.database, engine.teams.server.keyRing)
        let (ada, origin) = (engine.ada, TestTeams.origin)
        let suspensions = UserSuspensionStore(database)
        let by = Actor.system("test")
        switch change {
        case .password:
            let hash = try TestTeams.argon2id.hash("another password")
            _ = try await PasswordStore(database).set(hash, for: ada, in: .acme, by: by, from: origin)
        case .suspension: _ = try await suspensions.suspend(ada, because: "x", in: .acme, by: by, from: origin)
        case .suspensionLifted:
            _ = try await suspensions.suspend(ada, because: "x", in: .acme, by: by, from: origin)
            _ = try await suspensions.unsuspend(of: ada, in: .acme, by: by, from: origin)
        case .factorRemoved:
            try await TOTPStore(database, keyRing: ring).remove(of: ada, keepsOne: false, in: .acme, from: origin)
        case .factorsReset: try await FactorStore(database).reset(of: ada, reason: "x", in: .acme, by: by, from: origin)
        case .factorReplaced: try await enrol(engine, at: engine.clock.now)
        case .codesRenewed:
            _ = try await RecoveryCodeStore(database, keyRing: ring).regenerate(
                for: ada, in: .acme, by: by, from: origin)
        }
    }
}
