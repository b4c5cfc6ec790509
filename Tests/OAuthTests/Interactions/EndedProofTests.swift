import Core
import Crypto
import Directory
import Platform
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
                    let user = try await engine.user(person)
                    let interaction = try await engine.begin(next: "/x")
                    try await Self.make(change, of: person, engine)
                    let isKept = try await engine.prove(user, by: method, in: interaction)
                    #expect(!isKept, "\(change) \(method)")
                    // Once more, with what is there now; not for somebody who is suspended.
                    let now = try await engine.user(person)
                    let isKeptNow = try await engine.prove(now, by: method, in: interaction)
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
                    let user = try await engine.user(person)
                    let interaction = try await engine.begin(next: "/x")
                    #expect(try await engine.prove(user, owing: due, in: interaction))
                    if due == .proof { #expect(try await engine.proveAgain(person, in: interaction)) }
                    try await Self.make(change, of: person, engine)
                    let token = try await engine.enter(interaction, as: person)
                    #expect(token == nil, "\(change) \(due)")
                    #expect(try await engine.find(interaction) == nil, "\(change) \(due)")
                }
            }
            #expect(try engine.admin("SELECT FROM sessions").isEmpty)
        }
    }

    @Test func `S36: a second proof is not kept after the first one's credential changed`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin(next: "/x")
            #expect(try await engine.prove(owing: .proof, in: interaction))
            // As a request that read the attempt before it was deleted.
            try engine.admin(
                "UPDATE users SET credentials_version = credentials_version + 1 WHERE sub = $1", engine.ada.rawValue)
            #expect(try await engine.proveAgain(in: interaction) == false)
        }
    }

    @Test func `S36, V54: a proof that was noted while the password changed makes no session after it`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin(next: "/x")
            let user = try await engine.user()
            let hash = try TestTeams.argon2id.hash("another password")
            let session = try await engine.database.change(in: .acme) { change in
                _ = try await PasswordStore.set(hash, for: engine.ada, change)
                // The change has ended the sign-ins it saw; this one was proved by the password before, and is noted now.
                #expect(try await engine.prove(user, in: interaction))
                let session = Task(executorPreference: engine.teams.loop) { try await engine.enter(interaction) }
                try await engine.teams.waitForWaiter(of: change.transaction)
                return session
            }
            #expect(try await session.value == nil)
            #expect(try engine.admin("SELECT FROM sessions").isEmpty)
        }
    }
}

extension EndedProofTests {
    private static func addTOTP(_ person: Subject, _ engine: Engine) async throws {
        try await enrol(person, engine, at: engine.clock.now - .seconds(3600))
    }

    private static func enrol(_ person: Subject, _ engine: Engine, at moment: Timestamp) async throws {
        let secret = TOTPSecret(random: .system)
        let store = TOTPStore(engine.database, keyRing: engine.server.keyRing)
        _ = try await store.enrol(
            secret, provedBy: TOTP.code(of: secret, step: TOTP.step(atSeconds: moment.seconds)), of: person, in: .acme,
            from: .test, at: moment)
    }

    private static func make(_ change: Change, of person: Subject, _ engine: Engine) async throws {
        let (database, ring) = (engine.database, engine.server.keyRing)
        let origin = TestTeams.origin
        let suspensions = UserSuspensionStore(database)
        let by = Actor.system("test")
        switch change {
        case .password:
            let hash = try TestTeams.argon2id.hash("another password")
            _ = try await database.change(in: .acme) { try await PasswordStore.set(hash, for: person, $0) }
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

/// Sessions that ended after they were read, and proofs that became another person's.
@Suite struct EndedSessionTests {
    @Test(arguments: [false, true]) func `V54: a session that ended after it was read gives an app no code`(
        isKnown: Bool
    ) async throws {
        try await withEngine { engine in
            if isKnown { _ = try await engine.signIn() }
            let session = try await engine.session(of: engine.ada)
            let interaction = try await engine.begin()
            // As another request of hers does while this one is on its way.
            try await engine.teams.sessions.endAll(of: engine.ada, in: .acme, by: .person(engine.ada), from: .test)
            #expect(try await engine.answer(interaction, of: session) == nil)
            let codes = "SELECT FROM authorization_codes WHERE redeemed_at IS NULL"
            #expect(try engine.admin(codes).isEmpty != isKnown)
            // Signed in once more she goes on where she was.
            let next = try await engine.session(of: engine.ada)
            #expect(try await engine.answer(interaction, of: next) != nil)
        }
    }

    @Test func `V54: proofs that are another person's now make no session of the one they were read of`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin(next: "/x")
            #expect(try await engine.prove(in: interaction))
            #expect(try await engine.enter(interaction, as: engine.ben) == nil)
            #expect(try engine.admin("SELECT FROM sessions").isEmpty)
        }
    }

}
