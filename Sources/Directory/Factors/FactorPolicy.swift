public import Platform
import Postgres

/// Policy for second factors besides a password.
///
/// It applies to sign-ins at the directory: Apple has required two factors already.
public struct FactorPolicy: Hashable, Sendable {
    public let rule: SecondFactor

    /// - Parameters:
    ///   - team: setting of the team.
    ///   - isDemanded: whether the user's role requires a factor, whatever the team's setting.
    public init(_ team: SecondFactor, isDemanded: Bool = false) { rule = isDemanded ? .required : team }

    /// Whether users may add factors at all.
    public var isOffered: Bool { rule != .off }

    /// Whether proofs of these kinds suffice, whatever factors the user has.
    public func isSatisfied(by methods: [ProofMethod]) -> Bool { rule == .off || methods.contains(where: \.isStrong) }

    /// Next step for a user with these factors, after these proofs.
    public func decide(_ enrolled: EnrolledFactors, provedBy methods: [ProofMethod]) -> FactorDecision {
        if isSatisfied(by: methods) { return .none }
        if !enrolled.isEmpty { return .ask(enrolled.kinds) }
        return rule == .required ? .mustEnrol : .none
    }
}

/// Second factors of a user.
public struct EnrolledFactors: Hashable, Sendable {
    public var hasTOTP: Bool
    public var passkeyCount: Int
    /// Number of unused codes; they replace a factor and are not factors themselves.
    public var recoveryCodesLeft: Int

    public init(hasTOTP: Bool = false, passkeyCount: Int = 0, recoveryCodesLeft: Int = 0) {
        self.hasTOTP = hasTOTP
        self.passkeyCount = passkeyCount
        self.recoveryCodesLeft = recoveryCodesLeft
    }

    public static let none = EnrolledFactors()

    /// Columns of the factors of a person, whose `team_id` and `sub` the row `s` has, for `init(_:)`.
    static let columns: SQL = """
        EXISTS (SELECT FROM totp_secrets f WHERE f.team_id = s.team_id AND f.sub = s.sub),
        (SELECT count(*) FROM passkeys f WHERE f.team_id = s.team_id AND f.sub = s.sub),
        (SELECT count(*) FROM recovery_codes f
            WHERE f.team_id = s.team_id AND f.sub = s.sub AND f.used_at IS NULL)
        """

    /// Reads `columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        hasTOTP = try row.next()
        passkeyCount = try row.next()
        recoveryCodesLeft = try row.next()
    }

    public var isEmpty: Bool { !hasTOTP && passkeyCount == 0 }

    /// Kinds to choose from, the most secure first.
    public var kinds: [FactorKind] {
        guard !isEmpty else { return [] }
        var kinds: [FactorKind] = []
        if passkeyCount > 0 { kinds.append(.passkey) }
        if hasTOTP { kinds.append(.totp) }
        if recoveryCodesLeft > 0 { kinds.append(.recoveryCode) }
        return kinds
    }
}

/// Next step for a user who has authenticated so far.
public enum FactorDecision: Hashable, Sendable {
    /// No further factor.
    case none
    /// One of these kinds, the best first.
    case ask([FactorKind])
    /// The user has no factor and must add one.
    case mustEnrol
}
