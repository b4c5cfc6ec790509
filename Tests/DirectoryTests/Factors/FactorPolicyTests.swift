import Platform
import Testing

@testable import Directory

@Suite struct `What is asked beside a password` {
    private static let none = EnrolledFactors.none
    private static let app = EnrolledFactors(hasTOTP: true, recoveryCodesLeft: 3)
    private static let all = EnrolledFactors(hasTOTP: true, passkeyCount: 2, recoveryCodesLeft: 1)

    @Test func `is nothing where the team wants none`() {
        for enrolled in [Self.none, Self.app, Self.all] {
            #expect(FactorPolicy(.off).decide(enrolled, provedBy: [.password]) == .none)
        }
        #expect(!FactorPolicy(.off).isOffered)
    }

    @Test func `is what the person has, where it is up to them`() {
        let policy = FactorPolicy(.optional)

        #expect(policy.decide(Self.none, provedBy: [.password]) == .none)
        #expect(policy.decide(Self.app, provedBy: [.password]) == .ask([.totp, .recoveryCode]))
        #expect(policy.decide(Self.all, provedBy: [.password]) == .ask([.passkey, .totp, .recoveryCode]))
    }

    @Test func `is asked of everybody where the team requires it`() {
        let policy = FactorPolicy(.required)

        #expect(policy.decide(Self.none, provedBy: [.password]) == .mustEnrol)
        #expect(policy.decide(Self.app, provedBy: [.password]) == .ask([.totp, .recoveryCode]))
    }

    @Test(arguments: [ProofMethod.totp, .passkey, .recoveryCode, .apple])
    func `is settled by any proof beyond a password`(method: ProofMethod) {
        #expect(FactorPolicy(.required).decide(Self.all, provedBy: [.password, method]) == .none)
        #expect(FactorPolicy(.required).decide(Self.none, provedBy: [method]) == .none)
    }

    @Test func `V34: is never settled by the password once more`() {
        let policy = FactorPolicy(.required)

        #expect(policy.decide(Self.app, provedBy: [.password, .password]) != .none)
        #expect(policy.decide(Self.app, provedBy: []) != .none)
    }

    @Test func `is required of a role whatever the team says`() {
        for rule in SecondFactor.allCases {
            #expect(FactorPolicy(rule, isDemanded: true).decide(Self.none, provedBy: [.password]) == .mustEnrol)
        }
    }

    @Test func `is no recovery code of somebody without a factor`() {
        let left = EnrolledFactors(recoveryCodesLeft: 10)

        #expect(FactorPolicy(.required).decide(left, provedBy: [.password]) == .mustEnrol)
        #expect(FactorPolicy(.optional).decide(left, provedBy: [.password]) == .none)
    }
}
