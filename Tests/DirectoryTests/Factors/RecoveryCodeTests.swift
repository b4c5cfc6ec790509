import Crypto
import Platform
import Testing

@testable import Directory

@Suite struct `Recovery codes` {
    @Test func `stand in for a factor of their person's, once each`() async throws {
        try await withFactors { factors in
            let (_, codes) = try await factors.enrolTOTP()
            try await factors.enrolTOTP(factors.ben)

            #expect(try await factors.prove(.recovery(codes[0].text), of: factors.ben) == .wrong)
            for code in codes {
                #expect(try await factors.prove(.recovery(code.text)) == .proved)
                #expect(try await factors.prove(.recovery(code.text)) == .wrong)
            }
            #expect(try await factors.enrolled() == EnrolledFactors(hasTOTP: true))
            #expect(try factors.environment.actions().count { $0 == "recovery_code.used" } == 10)
        }
    }

    @Test func `are taken as people type them`() throws {
        let code = RecoveryCode(random: RandomSource { count in (0..<count).map { UInt8($0 * 3) } })

        #expect(code.text == "adgjm-psvy3")
        for typed in ["adgjmpsvy3", "ADGJM PSVY3", " adgjm - psvy3 ", "ａdgjm-psvy3", "adgjm\u{2013}psvy3\n"] {
            #expect(RecoveryCode(text: typed) == code)
        }
        #expect(RecoveryCode(text: "01abc-defgh") == RecoveryCode(text: "olabc-defgh"))
        for typed in ["", "adgjm-psvy", "adgjm-psvy38", "adgjm-psvy9", "аdgjm-psvy3", "adgjm-psvy\u{1}"] {
            #expect(RecoveryCode(text: typed) == nil)
        }
    }

    @Test func `are regenerated as a set`() async throws {
        try await withFactors { factors in
            let old = try await factors.enrolTOTP().codes
            func regenerate(_ subject: Subject, in team: TeamID) async throws -> [RecoveryCode]? {
                try await factors.codes.regenerate(for: subject, in: team, by: .person(subject), from: .test)
            }

            let new = try #require(try await regenerate(factors.ada, in: .acme))

            #expect(Set(new).count == 10 && Set(new).isDisjoint(with: old))
            #expect(try await factors.prove(.recovery(old[0].text)) == .wrong)
            #expect(try await factors.prove(.recovery(new[0].text)) == .proved)
            #expect(try await regenerate(factors.ben, in: .acme) == nil)
            #expect(try await regenerate(factors.ada, in: .rival) == nil)
        }
    }

    @Test func `V57: are kept as what cannot be read back, and outlive a new master key`() async throws {
        try await withFactors { factors in
            let codes = try await factors.enrolTOTP().codes
            let ring = KeyRing(current: try MasterKey.generate(id: "new"), older: factors.keyRing.keys)
            let signIn = FactorSignIn(factors.environment.database, keyRing: ring)
            let stored = try factors.environment.admin("SELECT encode(code_hash, 'escape') FROM recovery_codes")

            let result = try await signIn.prove(
                .recovery(codes[0].text), of: factors.ada, interaction: "1", in: .acme, from: .test)

            #expect(stored.allSatisfy { row in codes.allSatisfy { row[0]?.contains($0.characters) == false } })
            #expect(result == .proved)
        }
    }
}
