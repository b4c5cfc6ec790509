public import Directory
public import Domain
public import Postgres
public import Tenancy

/// Decides whether what somebody has proved is enough.
///
/// Asked wherever a session is looked at, in the console too, so that no way of signing in is without it.
public struct FactorGate: Sendable {
    private let factors: FactorStore
    private let rights: AccountRightsStore
    private let sparesRoles: Bool

    /// - Parameter sparesRoles: whether operators, owners and admins are asked no more than others, as on a laptop.
    public init(_ database: TeamDatabase, rights: AccountRightsStore, sparesRoles: Bool) {
        factors = FactorStore(database)
        self.rights = rights
        self.sparesRoles = sparesRoles
    }

    /// What is asked of a person of the team.
    ///
    /// In the system team those who run teams, or the installation, need a second factor.
    public func policy(
        for subject: Subject,
        of team: TeamID,
        _ rule: SecondFactor
    ) async throws(PostgresFailure) -> FactorPolicy {
        guard team == .system, !sparesRoles else { return FactorPolicy(rule) }
        return policy(try await rights.find(of: subject), rule)
    }

    /// What is due of a person after these proofs.
    func due(
        of subject: Subject,
        provedBy methods: [ProofMethod],
        in team: TeamID,
        _ rule: SecondFactor
    ) async throws(PostgresFailure) -> FactorDecision {
        // A proof beyond the password settles it whatever the rest says.
        if FactorPolicy(rule, isDemanded: true).isSatisfied(by: methods) { return .none }
        let policy = try await policy(for: subject, of: team, rule)
        if policy.isSatisfied(by: methods) { return .none }
        return policy.decide(try await factors.enrolled(of: subject, in: team), provedBy: methods)
    }

    /// Whether a session's proofs are enough still.
    func admits(
        _ session: Session,
        to team: TeamID,
        _ rule: SecondFactor
    ) async throws(PostgresFailure) -> Bool {
        try await due(of: session.user.subject, provedBy: session.methods, in: team, rule) == .none
    }

    /// The same for the console, which knows the account's rights.
    public func admits(_ session: Session, with rights: AccountRights) async throws(PostgresFailure) -> Bool {
        let policy = sparesRoles ? FactorPolicy(.optional) : policy(rights, .optional)
        if policy.isSatisfied(by: session.methods) { return true }
        let enrolled = try await factors.enrolled(of: session.user.subject, in: .system)
        return policy.decide(enrolled, provedBy: session.methods) == .none
    }

    private func policy(_ rights: AccountRights, _ rule: SecondFactor) -> FactorPolicy {
        let isDemanded =
            rights.isOperator || rights.memberships.contains { [.owner, .admin].contains($0.role) }
        return FactorPolicy(rule, isDemanded: isDemanded)
    }
}
