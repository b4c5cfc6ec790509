import Bytes
import Crypto
import Domain
import Testing

@testable import Directory

@Suite struct `An authenticator app` {
    @Test func `is added with its code, and signs in with the next`() async throws {
        try await withFactors { factors in
            let (secret, codes) = try await factors.enrolTOTP()
            let code = TOTP.code(of: secret, step: FactorWorld.step)

            #expect(try await factors.prove(.totp(code)) == .proved)
            #expect(codes.count == 10)
            #expect(
                try await factors.factors.enrolled(of: factors.ada, in: World.acme)
                    == EnrolledFactors(hasTOTP: true, recoveryCodesLeft: 10)
            )
            #expect(try await factors.totp.find(of: factors.ada, in: World.acme)?.lastUsedAt == World.noon)
            #expect(try factors.world.actions() == ["factor.added"])
        }
    }

    @Test func `is not added with a wrong code`() async throws {
        try await withFactors { factors in
            let secret = TOTPSecret(random: .system)
            let wrong = TOTP.code(of: secret, step: FactorWorld.step - 5)

            let refused = try await refusal {
                try await factors.totp.enrol(
                    secret,
                    provedBy: wrong,
                    of: factors.ada,
                    in: World.acme,
                    from: World.origin,
                    at: World.noon
                )
            }

            #expect(refused == .wrongCode)
            #expect(try await factors.factors.enrolled(of: factors.ada, in: World.acme).isEmpty)
        }
    }

    @Test func `takes a code once, and none before it`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let now = TOTP.code(of: secret, step: FactorWorld.step)
            let before = TOTP.code(of: secret, step: FactorWorld.step - 1)

            #expect(try await factors.prove(.totp(now)) == .proved)
            #expect(try await factors.prove(.totp(now)) == .wrong)
            #expect(try await factors.prove(.totp(before)) == .wrong)
            #expect(try await factors.prove(.totp(now), at: World.noon + .seconds(30)) == .wrong)
        }
    }

    @Test func `V8: takes a code once of fifty at once`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let code = TOTP.code(of: secret, step: FactorWorld.step)

            let results = try await inParallel(50) { index in
                try await factors.totp.use(code, of: factors.ada, in: World.acme, at: World.noon)
            }

            #expect(results.count(where: \.self) == 1)
        }
    }

    @Test func `does not take the code that added it`() async throws {
        try await withFactors { factors in
            let secret = TOTPSecret(random: .system)
            let code = TOTP.code(of: secret, step: FactorWorld.step)
            _ = try await factors.totp.enrol(
                secret,
                provedBy: code,
                of: factors.ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )

            #expect(try await factors.prove(.totp(code)) == .wrong)
        }
    }

    @Test func `takes five tries a sign-in`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let right = TOTP.code(of: secret, step: FactorWorld.step)
            let wrong = TOTP.code(of: secret, step: FactorWorld.step - 9)

            for _ in 0..<5 { #expect(try await factors.prove(.totp(wrong)) == .wrong) }

            #expect(try await factors.prove(.totp(right)) == .attemptOver)
            #expect(try await factors.prove(.totp(right), attempt: "attempt-2") == .proved)
            #expect(try factors.world.actions().count { $0 == "factor.refused" } == 5)
        }
    }

    @Test func `takes twenty tries an hour, however many sign-ins`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            try await factors.enrolTOTP(factors.ben)
            let right = TOTP.code(of: secret, step: FactorWorld.step)
            for index in 0..<20 {
                #expect(try await factors.prove(.totp("000000x"), attempt: "attempt \(index / 5)") == .wrong)
            }

            let locked = try await factors.prove(.totp(right), attempt: "another")
            let later = World.noon + .seconds(3600)
            let code = TOTP.code(of: secret, step: TOTP.step(atSeconds: later.seconds))

            #expect(locked == .locked(retryAfter: .seconds(3600)))
            #expect(try await factors.prove(.totp("1"), of: factors.ben, attempt: "another") == .wrong)
            #expect(try await factors.prove(.totp(code), attempt: "later", at: later) == .proved)
        }
    }

    @Test func `is replaced as a whole`() async throws {
        try await withFactors { factors in
            let (old, _) = try await factors.enrolTOTP()
            let (new, codes) = try await factors.enrolTOTP()

            #expect(codes.isEmpty)
            #expect(
                try await factors.prove(.totp(TOTP.code(of: old, step: FactorWorld.step))) == .wrong
            )
            #expect(
                try await factors.prove(.totp(TOTP.code(of: new, step: FactorWorld.step))) == .proved
            )
            #expect(try factors.world.actions().prefix(2) == ["factor.added", "factor.replaced"])
        }
    }

    @Test func `goes with its recovery codes, unless it has to stay`() async throws {
        try await withFactors { factors in
            try await factors.enrolTOTP()
            func remove(keepsOne: Bool) async throws {
                try await factors.totp.remove(
                    of: factors.ada,
                    keepsOne: keepsOne,
                    in: World.acme,
                    from: World.origin
                )
            }

            #expect(try await refusal { try await remove(keepsOne: true) } == .lastOne)
            #expect(try await factors.factors.enrolled(of: factors.ada, in: World.acme).hasTOTP)
            try await remove(keepsOne: false)
            #expect(try await factors.factors.enrolled(of: factors.ada, in: World.acme) == .none)
            #expect(try await refusal { try await remove(keepsOne: false) } == .unknown)
            #expect(try factors.world.actions() == ["factor.added", "factor.removed"])
        }
    }

    @Test func `is nothing Rival can use, see or remove`() async throws {
        try await withFactors { factors in
            let (secret, codes) = try await factors.enrolTOTP()
            let code = TOTP.code(of: secret, step: FactorWorld.step)

            #expect(try await factors.prove(.totp(code), in: World.rival) == .wrong)
            #expect(try await factors.prove(.totp(code), of: factors.rivalAda, in: World.rival) == .wrong)
            #expect(try await factors.prove(.recovery(codes[0].text), in: World.rival) == .wrong)
            #expect(try await factors.totp.find(of: factors.ada, in: World.rival) == nil)
            #expect(try await factors.factors.enrolled(of: factors.ada, in: World.rival) == .none)
            #expect(
                try await refusal {
                    try await factors.totp.remove(
                        of: factors.ada,
                        keepsOne: false,
                        in: World.rival,
                        from: World.origin
                    )
                } == .unknown
            )
            #expect(
                try await refusal { try await factors.enrolTOTP(factors.ada, in: World.rival) } == .unknown
            )
            #expect(try await factors.prove(.totp(code)) == .proved)
        }
    }

    @Test func `is kept sealed, for its own row alone`() async throws {
        try await withFactors { factors in
            let (secret, _) = try await factors.enrolTOTP()
            let stored = try factors.world.admin("SELECT encode(secret_sealed, 'hex') FROM totp_secrets")[0][
                0
            ]
            try factors.world.admin("UPDATE totp_secrets SET sub = $1", factors.ben.rawValue)
            let code = TOTP.code(of: secret, step: FactorWorld.step)

            #expect(stored?.contains(Hex.encode(secret.bytes)) == false)
            await #expect(throws: (any Error).self) { try await factors.prove(.totp(code), of: factors.ben) }
        }
    }

    @Test func `is offered to one person, for an hour`() async throws {
        try await withFactors { factors in
            let offer = factors.offers.make(for: factors.ada, in: World.acme, at: World.noon)
            func open(_ text: String, _ subject: Subject, _ team: TeamID, _ at: Duration) -> [UInt8]? {
                factors.offers.open(text, for: subject, in: team, at: World.noon + at)?.secret.bytes
            }

            #expect(open(offer.sealed, factors.ada, World.acme, .seconds(3599)) == offer.secret.bytes)
            #expect(open(offer.sealed, factors.ada, World.acme, .seconds(3600)) == nil)
            #expect(open(offer.sealed, factors.ben, World.acme, .zero) == nil)
            #expect(open(offer.sealed, factors.ada, World.rival, .zero) == nil)
            for text in ["", "x", String(offer.sealed.dropLast()), offer.sealed + "A"] {
                #expect(open(text, factors.ada, World.acme, .zero) == nil)
            }
        }
    }
}
