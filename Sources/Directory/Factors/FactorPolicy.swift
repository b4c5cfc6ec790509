public import Domain

/// Which second factors somebody has.
public struct EnrolledFactors: Hashable, Sendable {
    public var hasTOTP: Bool
    public var passkeyCount: Int
    /// Unused ones; they stand in for a factor and are none themselves.
    public var recoveryCodesLeft: Int

    public init(hasTOTP: Bool = false, passkeyCount: Int = 0, recoveryCodesLeft: Int = 0) {
        self.hasTOTP = hasTOTP
        self.passkeyCount = passkeyCount
        self.recoveryCodesLeft = recoveryCodesLeft
    }

    public static let none = EnrolledFactors()

    public var isEmpty: Bool { !hasTOTP && passkeyCount == 0 }

    /// The kinds to choose from, the safest first.
    public var kinds: [FactorKind] {
        guard !isEmpty else { return [] }
        var kinds: [FactorKind] = []
        if passkeyCount > 0 { kinds.append(.passkey) }
        if hasTOTP { kinds.append(.totp) }
        if recoveryCodesLeft > 0 { kinds.append(.recoveryCode) }
        return kinds
    }
}

/// What is due of somebody who has proved who they are.
public enum FactorDecision: Hashable, Sendable {
    /// Nothing more.
    case none
    /// One of these, the first being the best.
    case ask([FactorKind])
    /// The person has no factor and needs one.
    case mustEnrol
}

/// What is asked beside a password.
///
/// Concerns sign-ins at the directory: Apple has asked for two factors already.
public struct FactorPolicy: Hashable, Sendable {
    public let rule: SecondFactor

    /// - Parameters:
    ///   - team: what the team has set.
    ///   - isDemanded: whether the person's role demands a factor whatever the team has set.
    public init(_ team: SecondFactor, isDemanded: Bool = false) {
        rule = isDemanded ? .required : team
    }

    /// Whether people may add factors at all.
    public var isOffered: Bool { rule != .off }

    /// Whether proofs of these kinds are enough whatever factors the person has.
    public func isSatisfied(by methods: [ProofMethod]) -> Bool {
        rule == .off || methods.contains(where: \.isStrong)
    }

    /// What is due of a person with these factors, after these proofs.
    public func decide(_ enrolled: EnrolledFactors, provedBy methods: [ProofMethod]) -> FactorDecision {
        if isSatisfied(by: methods) { return .none }
        if !enrolled.isEmpty { return .ask(enrolled.kinds) }
        return rule == .required ? .mustEnrol : .none
    }

    /// How somebody proves once more that it is still them, before their factors change.
    ///
    /// By a factor where they have one: the password alone, which began the session, proves nothing new.
    public func reproof(_ enrolled: EnrolledFactors) -> [FactorKind] {
        isOffered ? enrolled.kinds : []
    }
}
