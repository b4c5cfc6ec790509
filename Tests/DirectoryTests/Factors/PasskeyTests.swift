import Core
import Crypto
import Platform
import TestAuthenticator
import TestSupport
import Testing

@testable import Directory

@Suite struct `A passkey` {
    @Test func `signs its person in, alone`() async throws {
        try await withFactors { factors in
            var key = try factors.authenticator()
            let codes = try await factors.register(&key)
            key.counter = 1

            let subject = try await factors.signIn(try factors.answer(.signIn, by: key))

            #expect(subject == factors.ada)
            #expect(codes?.count == 10)
            let passkey = try #require(try await factors.passkeys.passkeys.list(of: factors.ada, in: .acme).first)
            #expect(passkey.name == "Ada's phone" && passkey.lastUsedAt == Timestamp.noon)
            #expect(try factors.environment.actions() == ["factor.added"])
        }
    }

    @Test func `alone has to ask for PIN or biometrics, and to know whose it is`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            var unverified = key
            unverified.flags = SoftAuthenticator.Flag.userPresent
            var nameless = key
            nameless.userHandle = nil
            var mistaken = key
            mistaken.userHandle = try await factors.passkeys.passkeys.handle(of: factors.ben, in: .acme)

            for key in [unverified, nameless, mistaken] {
                #expect(try await factors.signIn(try factors.answer(.signIn, by: key)) == nil)
            }
        }
    }

    @Test func `follows a password without either`() async throws {
        try await withFactors { factors in
            var key = try await factors.key()
            key.flags = SoftAuthenticator.Flag.userPresent
            key.userHandle = nil

            let answer = try factors.answer(.secondFactor(factors.ada), by: key)

            #expect(try await factors.prove(answer))
        }
    }

    @Test func `V20: answers a challenge once`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            let answer = try factors.answer(.signIn, by: key)

            let subjects = try await race(20) { _ in try await factors.signIn(answer) }

            #expect(subjects.count { $0 == factors.ada } == 1)
            #expect(try await factors.signIn(answer) == nil)
        }
    }

    @Test func `V20: answers in the browser that was asked, for what was asked, in time`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            let signIn = try factors.answer(.signIn, by: key)
            let proof = try factors.answer(.secondFactor(factors.ada), by: key)
            let bens = try factors.answer(.secondFactor(factors.ben), by: key)

            #expect(try await factors.signIn(signIn, browser: "browser-2") == nil)
            #expect(try await factors.signIn(proof) == nil)
            #expect(try await factors.prove(signIn) == false)
            #expect(try await factors.prove(bens) == false)
            #expect(try await factors.prove(bens, of: factors.ben) == false)
            #expect(try await factors.signIn(signIn, at: Timestamp.noon + .seconds(900)) == nil)
            #expect(try await factors.signIn(signIn, at: Timestamp.noon + .seconds(899)) == factors.ada)
        }
    }

    @Test func `V43: that may be a copy is refused, and noted once an answer, ten in a quarter of an hour`()
        async throws
    {
        try await withFactors { factors in
            var key = try await factors.key()
            key.counter = 7
            #expect(try await factors.signIn(try factors.answer(.signIn, by: key)) == factors.ada)
            func noted() throws -> Int { try factors.environment.actions().count { $0 == "factor.refused" } }

            let alone = try factors.answer(.signIn, by: key)
            let second = try factors.answer(.secondFactor(factors.ada), by: key)
            let subjects = try await race(20) { _ in try await factors.signIn(alone) }
            #expect(subjects.allSatisfy { $0 == nil })
            #expect(try factors.environment.actions() == ["factor.added", "factor.refused"])
            for _ in 0..<3 { #expect(try await factors.prove(second) == false) }
            #expect(try noted() == 2)

            for _ in 0..<12 {
                let answer = try factors.answer(.secondFactor(factors.ada), by: key)
                #expect(try await factors.prove(answer) == false)
            }
            #expect(try noted() == 10)
            let later = Timestamp.noon + RateLimit.failedProofs.window
            let late = try factors.answer(.signIn, by: key, at: later)
            #expect(try await factors.signIn(late, at: later) == nil)
            #expect(try noted() == 11)
        }
    }

    @Test func `is registered once in a team`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            var same = key

            #expect(try await refusal { try await factors.register(&same, for: factors.ben) } == .taken)
        }
    }

    @Test func `is registered with a challenge of this browser, and the challenge with it once`() async throws {
        try await withFactors { factors in
            var key = try factors.authenticator()
            let late = Timestamp.noon + .seconds(900)

            #expect(try await refusal { try await factors.register(&key, browser: "other") } == .notProved)
            #expect(try await refusal { try await factors.register(&key, at: late) } == .notProved)

            let challenge = factors.passkeys.challenges.make(
                .registration(factors.ada), browser: FactorEnvironment.browser, in: .acme, at: .noon)
            let other = try factors.authenticator()
            let first = try await refusal { try await factors.register(key.register(challenge: challenge)) }
            let second = try await refusal { try await factors.register(other.register(challenge: challenge)) }

            #expect(first == nil)
            #expect(second == .notProved)
        }
    }

    @Test func `V46: is one of twenty at most, of fifty at once`() async throws {
        try await withFactors { factors in
            let refusals = try await race(50) { _ in
                var key = try factors.authenticator()
                return try await refusal { try await factors.register(&key) }
            }
            #expect(refusals.count { $0 == nil } == Quota.passkeys.count)
            #expect(refusals.count { $0 == .tooMany } == 50 - Quota.passkeys.count)
        }
    }

    @Test func `is renamed and removed by its person`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            let store = factors.passkeys.passkeys
            let id = try #require(try await store.list(of: factors.ada, in: .acme).first).id
            let name = try #require(PasskeyName(" Key ring "))
            #expect(PasskeyID(text: id.text) == id)

            for (subject, team) in [(factors.ben, TeamID.acme), (factors.ada, TeamID.rival)] {
                #expect(
                    try await refusal { try await store.rename(id, of: subject, to: name, in: team, from: .test) }
                        == .unknown)
                #expect(
                    try await refusal {
                        try await store.remove(id, of: subject, keepsOne: false, in: team, from: .test)
                    } == .unknown)
            }
            try await store.rename(id, of: factors.ada, to: name, in: .acme, from: .test)
            #expect(try await store.list(of: factors.ada, in: .acme).map(\.name) == ["Key ring"])
            #expect(
                try await refusal {
                    try await store.remove(id, of: factors.ada, keepsOne: true, in: .acme, from: .test)
                } == .lastOne)
            try await store.remove(id, of: factors.ada, keepsOne: false, in: .acme, from: .test)
            #expect(try await factors.enrolled() == .none)
            #expect(try await factors.signIn(try factors.answer(.signIn, by: key)) == nil)
            #expect(try factors.environment.actions() == ["factor.added", "factor.renamed", "factor.removed"])
        }
    }

    @Test func `opens nothing for a suspended person`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            try factors.environment.admin("UPDATE users SET suspended_at = now()")

            #expect(try await factors.signIn(try factors.answer(.signIn, by: key)) == nil)
        }
    }

    @Test func `of Acme's opens nothing at Rival`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            let acme = try factors.answer(.signIn, by: key)
            let rival = try factors.answer(.signIn, by: key, in: .rival)

            #expect(try await factors.signIn(acme, in: .rival) == nil)
            #expect(try await factors.signIn(rival, in: .rival) == nil)
            let handles = [
                try await factors.passkeys.passkeys.handle(of: factors.ada, in: .acme),
                try await factors.passkeys.passkeys.handle(of: factors.rivalAda, in: .rival),
            ]
            #expect(handles[0] != handles[1] && handles.allSatisfy { $0.count == 32 })
            await #expect(throws: (any Error).self) {
                try await factors.passkeys.passkeys.handle(of: factors.ada, in: .rival)
            }
        }
    }

    @Test func `survives garbage in the place of an answer`() async throws {
        try await withFactors { factors in
            let key = try await factors.key()
            let whole = try factors.answer(.signIn, by: key)
            for length in [0, 1, 36, 37, 200, 5000] {
                let noise = RandomSource.system.bytes(length)
                let answer = AssertionResponse(
                    credentialID: length % 2 == 0 ? key.credentialID : noise,
                    clientDataJSON: length < 100 ? whole.clientDataJSON : noise, authenticatorData: noise,
                    signature: noise, userHandle: key.userHandle)
                #expect(try await factors.signIn(answer) == nil)
            }
        }
    }
}
