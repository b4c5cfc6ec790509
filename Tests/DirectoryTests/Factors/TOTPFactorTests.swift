import Core
import Crypto
import Platform
import Testing

@testable import Directory

@Suite struct `An authenticator app` {
    @Test func `is added with its code, and signs in with the next`() async throws {
        try await withFactors { factors in
            let (secret, codes) = try await factors.enrolTOTP()
            let code = factors.code(of: secret)

            #expect(try await factors.prove(.totp(code)) == .proved)
            #expect(codes.count == 10)
            #expect(try await factors.enrolled() == EnrolledFactors(hasTOTP: true, recoveryCodesLeft: 10))
            #expect(try await factors.totp.find(of: factors.ada, in: .acme)?.lastUsedAt == Timestamp.noon)
            #expect(try factors.environment.actions() == ["factor.added"])
        }
    }

    @Test func `is not added with a wrong code`() async throws {
        try await withFactors { factors in
            let secret = TOTPSecret(random: .system)
            let wrong = factors.code(of: secret, after: -5)

            let refused = try await refusal {
                try await factors.totp.enrol(
                    secret, provedBy: wrong, of: factors.ada, in: .acme, from: .test, at: .noon)
            }

            #expect(refused == .wrongCode)
            #expect(try await factors.enrolled().isEmpty)
        }
    }

    @Test func `takes a code once, and none before it`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let now = factors.code(of: secret)
            let before = factors.code(of: secret, after: -1)

            #expect(try await factors.prove(.totp(now)) == .proved)
            #expect(try await factors.prove(.totp(now)) == .wrong)
            #expect(try await factors.prove(.totp(before)) == .wrong)
            #expect(try await factors.prove(.totp(now), at: Timestamp.noon + .seconds(30)) == .wrong)
        }
    }

    @Test func `does not take the code that added it`() async throws {
        try await withFactors { factors in
            let secret = TOTPSecret(random: .system)
            let code = factors.code(of: secret)
            _ = try await factors.totp.enrol(secret, provedBy: code, of: factors.ada, in: .acme, from: .test, at: .noon)

            #expect(try await factors.prove(.totp(code)) == .wrong)
        }
    }

    @Test func `takes five tries a sign-in`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let right = factors.code(of: secret)
            let wrong = factors.code(of: secret, after: -9)

            for _ in 0..<5 { #expect(try await factors.prove(.totp(wrong)) == .wrong) }

            #expect(try await factors.prove(.totp(right)) == .interactionExpired)
            #expect(try await factors.prove(.totp(right), interaction: "attempt-2") == .proved)
            #expect(try factors.environment.actions().count { $0 == "factor.refused" } == 5)
        }
    }

    @Test func `takes ten tries in a quarter of an hour, however many sign-ins`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            try await factors.enrolTOTP(factors.ben)
            let right = factors.code(of: secret)
            for index in 0..<10 {
                #expect(try await factors.prove(.totp("000000x"), interaction: "attempt \(index / 5)") == .wrong)
            }

            let locked = try await factors.prove(.totp(right), interaction: "another")
            let later = Timestamp.noon + RateLimit.failedProofs.window
            let code = TOTP.code(of: secret, step: TOTP.step(atSeconds: later.seconds))

            #expect(locked == .locked(TooManyRequests(limit: .failedProofs, wait: .seconds(900))))
            #expect(try await factors.prove(.totp("1"), of: factors.ben, interaction: "another") == .wrong)
            #expect(try await factors.prove(.totp(code), interaction: "later", at: later) == .proved)
        }
    }

    @Test func `is replaced as a whole`() async throws {
        try await withFactors { factors in
            let (old, _) = try await factors.enrolTOTP()
            let (new, codes) = try await factors.enrolTOTP()

            #expect(codes.isEmpty)
            #expect(try await factors.prove(.totp(factors.code(of: old))) == .wrong)
            #expect(try await factors.prove(.totp(factors.code(of: new))) == .proved)
            #expect(try factors.environment.actions().prefix(2) == ["factor.added", "factor.replaced"])
        }
    }

    @Test func `goes with its recovery codes, unless it has to stay`() async throws {
        try await withFactors { factors in
            try await factors.enrolTOTP()
            func remove(keepsOne: Bool) async throws {
                try await factors.totp.remove(of: factors.ada, keepsOne: keepsOne, in: .acme, from: .test)
            }

            #expect(try await refusal { try await remove(keepsOne: true) } == .lastOne)
            #expect(try await factors.enrolled().hasTOTP)
            try await remove(keepsOne: false)
            #expect(try await factors.enrolled() == .none)
            #expect(try await refusal { try await remove(keepsOne: false) } == .unknown)
            #expect(try factors.environment.actions() == ["factor.added", "factor.removed"])
        }
    }

    @Test func `V57: is kept sealed, for its own row alone`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let stored = try factors.environment.admin("SELECT encode(secret_sealed, 'hex') FROM totp_secrets")[0][0]
            try factors.environment.admin("UPDATE totp_secrets SET sub = $1", factors.ben.rawValue)
            let code = factors.code(of: secret)

            #expect(stored?.contains(Hex.encode(secret.bytes)) == false)
            await #expect(throws: (any Error).self) { try await factors.prove(.totp(code), of: factors.ben) }
        }
    }

    @Test func `is offered to one person, for an hour`() async throws {
        try await withFactors { factors in
            let offer = factors.offers.make(for: factors.ada, in: .acme, at: .noon)
            func open(_ text: String, _ subject: Subject, _ team: TeamID, _ at: Duration) -> [UInt8]? {
                factors.offers.open(text, for: subject, in: team, at: Timestamp.noon + at)?.secret.bytes
            }

            #expect(open(offer.sealed, factors.ada, TeamID.acme, .seconds(3599)) == offer.secret.bytes)
            #expect(open(offer.sealed, factors.ada, TeamID.acme, .seconds(3600)) == nil)
            #expect(open(offer.sealed, factors.ben, TeamID.acme, .zero) == nil)
            #expect(open(offer.sealed, factors.ada, TeamID.rival, .zero) == nil)
            for text in ["", "x", String(offer.sealed.dropLast()), offer.sealed + "A"] {
                #expect(open(text, factors.ada, TeamID.acme, .zero) == nil)
            }
        }
    }
}
