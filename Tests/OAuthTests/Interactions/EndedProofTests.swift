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

    @Test func `S36: a proof that was checked before a credential changed is not kept after`() async throws {
        try await withEngine { engine in
            for change in Change.allCases {
                for method in [ProofMethod.password, .passkey, .mailedLink] {
                    let person = try await engine.teams.addPerson("\(change)-\(method)")
                    try await Self.addTOTP(person, engine)
                    let user = try await Self.user(person, engine)
                    let interaction = try await Self.begin(engine)
                    try await Self.make(change, of: person, engine)
                    let isKept = try await Self.prove(user, by: method, interaction, engine)
                    #expect(!isKept, "\(change) \(method)")
                    // Once more, with what is there now; not for somebody who is suspended.
                    let now = try await Self.user(person, engine)
                    let isKeptNow = try await Self.prove(now, by: method, interaction, engine)
                    #expect(isKeptNow == (change != .suspension), "\(change) \(method)")
                }
            }
        }
    }

    @Test func `S36: a sign-in under way ends with the credential that was its proof`() async throws {
        try await withEngine { engine in
            for change in Change.allCases {
                for due in [SecondFactorDue.nothing, .proof] {
                    let person = try await engine.teams.addPerson("\(change)-\(due)")
                    try await Self.addTOTP(person, engine)
                    let user = try await Self.user(person, engine)
                    let interaction = try await Self.begin(engine)
                    #expect(try await Self.prove(user, by: .password, owing: due, interaction, engine))
                    if due == .proof { #expect(try await Self.proveAgain(person, interaction, engine)) }
                    try await Self.make(change, of: person, engine)
                    let token = try await Self.enter(person, interaction, engine)
                    #expect(token == nil, "\(change) \(due)")
                    #expect(
                        try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .acme)
                            == nil, "\(change) \(due)")
                }
            }
            #expect(try engine.teams.admin("SELECT FROM sessions").isEmpty)
        }
    }

    @Test func `S36: a second proof is not kept after the first one's credential changed`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            #expect(
                try await Self.prove(Self.user(engine.ada, engine), by: .password, owing: .proof, interaction, engine))
            // As a request that read the attempt before it was deleted.
            try engine.teams.admin(
                "UPDATE users SET credentials_version = credentials_version + 1 WHERE sub = $1", engine.ada.rawValue)
            #expect(try await Self.proveAgain(engine.ada, interaction, engine) == false)
        }
    }

    @Test func `S36, V54: a proof that was noted while the password changed makes no session after it`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            let user = try await Self.user(engine.ada, engine)
            let hash = try TestTeams.argon2id.hash("another password")
            let session = try await engine.teams.database.transaction(in: .acme) { transaction in
                _ = try await PasswordStore.set(
                    hash, for: engine.ada, in: .acme, by: .system("test"), from: TestTeams.origin, transaction)
                // The change has ended the sign-ins it saw; this one was proved by the password before, and is noted now.
                #expect(try await Self.prove(user, by: .password, interaction, engine))
                let session = Task(executorPreference: engine.teams.loop) {
                    try await Self.enter(engine.ada, interaction, engine)
                }
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
            #expect(try await Self.prove(Self.user(engine.ada, engine), by: .password, interaction, engine))
            try engine.teams.admin("UPDATE attempts SET credentials_version = NULL")
            #expect(try await Self.enter(engine.ada, interaction, engine) != nil)
        }
    }
}

extension EndedProofTests {
    private static func user(_ person: Subject, _ engine: Engine) async throws -> User {
        try #require(try await UserStore(engine.teams.database).find(person, in: .acme))
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

    private static func proveAgain(_ person: Subject, _ interaction: Interaction, _ engine: Engine) async throws -> Bool
    {
        try await engine.interactions.proveAgain(
            person, by: .totp, in: interaction, browserHash: Engine.browser, of: .acme)
    }

    /// Makes a session of the proofs, as the hosted pages do.
    private static func enter(_ person: Subject, _ interaction: Interaction, _ engine: Engine) async throws
        -> SessionToken?
    {
        let beginning = SessionStore.Beginning(
            of: person, by: [.password], to: nil, from: TestTeams.origin, replacing: nil, at: engine.clock.now)
        return try await engine.interactions.enter(interaction, browserHash: Engine.browser, of: .acme) { proofs in
            try await engine.teams.sessions.begin(beginning, taking: proofs, in: .acme)
        }
    }

    private static func addTOTP(_ person: Subject, _ engine: Engine) async throws {
        try await enrol(person, engine, at: engine.clock.now - .seconds(3600))
    }

    private static func enrol(_ person: Subject, _ engine: Engine, at moment: Timestamp) async throws {
        let secret = TOTPSecret(random: .system)
        let store = TOTPStore(engine.teams.database, keyRing: engine.teams.server.keyRing)
        _ = try await store.enrol(
            secret, provedBy: TOTP.code(of: secret, step: TOTP.step(atSeconds: moment.seconds)), of: person, in: .acme,
            from: TestTeams.origin, at: moment)
    }

    private static func make(_ change: Change, of person: Subject, _ engine: Engine) async throws {
        let (database, ring) = (engine.teams.database, engine.teams.server.keyRing)
        let origin = TestTeams.origin
        let suspensions = UserSuspensionStore(database)
        let by = Actor.system("test")
        switch change {
        case .password:
            let hash = try TestTeams.argon2id.hash("another password")
            _ = try await PasswordStore(database).set(hash, for: person, in: .acme, by: by, from: origin)
        case .suspension: _ = try await suspensions.suspend(person, because: "x", in: .acme, by: by, from: origin)
        case .suspensionLifted:
            _ = try await suspensions.suspend(person, because: "x", in: .acme, by: by, from: origin)
            _ = try await suspensions.unsuspend(of: person, in: .acme, by: by, from: origin)
        case .factorRemoved:
            try await TOTPStore(database, keyRing: ring).remove(of: person, keepsOne: false, in: .acme, from: origin)
        case .factorsReset:
            try await FactorStore(database).reset(of: person, reason: "x", in: .acme, by: by, from: origin)
        case .factorReplaced: try await enrol(person, engine, at: engine.clock.now)
        case .codesRenewed:
            _ = try await RecoveryCodeStore(database, keyRing: ring).regenerate(
                for: person, in: .acme, by: by, from: origin)
        }
    }
}
