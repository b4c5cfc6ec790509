import Platform
import Testing

@testable import Directory

@Suite struct `What is asked beside a password` {
    private static let none = EnrolledFactors.none
    private static let app = EnrolledFactors(hasTOTP: true, recoveryCodesLeft: 3)
    private static let all = EnrolledFactors(hasTOTP: true, passkeyCount: 2, recoveryCodesLeft: 1)

    @Test func `is what the team's rule and the person's factors make of it`() {
        let left = EnrolledFactors(recoveryCodesLeft: 10)
        let decisions: [(SecondFactor, EnrolledFactors, FactorDecision)] = [
            (.off, Self.none, .none), (.off, Self.app, .none), (.off, Self.all, .none), (.optional, Self.none, .none),
            (.optional, Self.app, .ask([.totp, .recoveryCode])),
            (.optional, Self.all, .ask([.passkey, .totp, .recoveryCode])), (.required, Self.none, .mustEnrol),
            (.required, Self.app, .ask([.totp, .recoveryCode])),
            // No recovery code is asked of somebody without a factor.
            (.required, left, .mustEnrol), (.optional, left, .none),
        ]
        for (rule, enrolled, decision) in decisions {
            #expect(FactorPolicy(rule).decide(enrolled, provedBy: [.password]) == decision, "\(rule) \(enrolled)")
        }
        #expect(!FactorPolicy(.off).isOffered)
    }

    @Test(arguments: [ProofMethod.totp, .passkey, .recoveryCode, .apple])
    func `is settled by any proof beyond a password`(method: ProofMethod) {
        #expect(FactorPolicy(.required).decide(Self.all, provedBy: [.password, method]) == .none)
        #expect(FactorPolicy(.required).decide(Self.none, provedBy: [method]) == .none)
    }

    @Test func `V34: is never settled by the password once more, nor by a provider of another release`() throws {
        let policy = FactorPolicy(.required)
        let unknown = try #require(ProofMethod(rawValue: "google"))

        #expect(unknown.isOfProvider && policy.decide(Self.app, provedBy: [unknown]) != .none)
        #expect(policy.decide(Self.none, provedBy: [unknown]) == .mustEnrol)
        #expect(policy.decide(Self.app, provedBy: [.password, .password]) != .none)
        #expect(policy.decide(Self.app, provedBy: []) != .none)
    }

    @Test func `is required of a role whatever the team says`() {
        for rule in SecondFactor.allCases {
            #expect(FactorPolicy(rule, isDemanded: true).decide(Self.none, provedBy: [.password]) == .mustEnrol)
        }
    }
}
