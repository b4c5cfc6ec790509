public import Directory
import OAuth
public import Platform
public import Postgres
public import Registry

/// Decides whether a user's proofs satisfy the second-factor policy.
///
/// Checked wherever a session is read, including the console, so that no sign-in method bypasses the policy.
public struct FactorGate: Sendable {
    private let factors: FactorStore
    private let rights: AccountRightsStore
    private let sparesRoles: Bool

    /// - Parameter sparesRoles: whether operators, owners and admins need no more than other users, as on a laptop.
    public init(_ database: TeamDatabase, rights: AccountRightsStore, sparesRoles: Bool) {
        factors = FactorStore(database)
        self.rights = rights
        self.sparesRoles = sparesRoles
    }

    /// Policy for a user of the team.
    ///
    /// In the system team, operators and the owners and admins of teams need a second factor.
    public func policy(for subject: Subject, of team: TeamID, _ rule: SecondFactor) async throws(PostgresFailure)
        -> FactorPolicy
    {
        guard team == .system, !sparesRoles else { return FactorPolicy(rule) }
        return policy(try await rights.find(of: subject), rule)
    }

    /// Next step for a user after these proofs.
    ///
    /// - Parameter enrolled: the user's factors; nil if they are yet to be read.
    func due(
        of subject: Subject, having enrolled: EnrolledFactors?, provedBy methods: [ProofMethod], in team: TeamID,
        _ rule: SecondFactor
    ) async throws(PostgresFailure) -> FactorDecision {
        // A proof stronger than a password satisfies every policy, so that nothing needs to be read.
        if FactorPolicy(rule, isDemanded: true).isSatisfied(by: methods) { return .none }
        let policy = try await policy(for: subject, of: team, rule)
        if policy.isSatisfied(by: methods) { return .none }
        let known = if let enrolled { enrolled } else { try await factors.enrolled(of: subject, in: team) }
        return policy.decide(known, provedBy: methods)
    }

    /// Whether a session's proofs still satisfy the team's policy.
    func admits(_ session: Session, to team: TeamID, _ rule: SecondFactor) async throws(PostgresFailure) -> Bool {
        let methods = session.methods
        if FactorPolicy(rule, isDemanded: true).isSatisfied(by: methods) { return true }
        let policy = try await policy(for: session.user.subject, of: team, rule)
        return policy.isSatisfied(by: methods) || policy.decide(session.factors, provedBy: methods) == .none
    }

    /// Whether a session's proofs satisfy the console's policy, for a caller that has read the account's rights.
    public func admits(_ session: Session, with rights: AccountRights) -> Bool {
        let policy = sparesRoles ? FactorPolicy(.optional) : policy(rights, .optional)
        if policy.isSatisfied(by: session.methods) { return true }
        return policy.decide(session.factors, provedBy: session.methods) == .none
    }

    private func policy(_ rights: AccountRights, _ rule: SecondFactor) -> FactorPolicy {
        let isDemanded = rights.isOperator || rights.memberships.contains { [.owner, .admin].contains($0.role) }
        return FactorPolicy(rule, isDemanded: isDemanded)
    }
}

extension SecondFactorDue {
    /// Creates the value that an interaction stores for a decision.
    init(_ decision: FactorDecision) {
        switch decision {
        case .none: self = .nothing
        case .ask: self = .proof
        case .mustEnrol: self = .enrolment
        }
    }
}
