import Directory
public import Platform
public import Postgres

/// Condition that a provider account is still linked to a user who may sign in.
///
/// The final writes of a sign-in at the provider depend on it.
public struct FederatedLinkStatus: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let identifier: Subject
    private let primaryAppID: ClientID?

    /// - Parameters:
    ///   - identifier: the provider's identifier of the user.
    ///   - primaryAppID: group of apps whose consent must exist, too; nil for none.
    public init(
        of subject: Subject, at provider: ProviderID, as identifier: Subject, consentingTo primaryAppID: ClientID? = nil
    ) {
        self.subject = subject
        self.provider = provider
        self.identifier = identifier
        self.primaryAppID = primaryAppID
    }

    /// Locks the user, as suspensions and unlinks do first, so that they wait for each other.
    public func lock(in team: TeamID) -> SQL { UserStore.lock(subject, in: team) }

    /// Locks the user of a provider's identifier.
    public static func lock(whomever provider: ProviderID, calls identifier: Subject, in team: TeamID) -> SQL {
        let person: SQL = """
            (SELECT sub FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier))
            """
        return UserStore.lock(person, in: team)
    }

    /// Yields one row while the link is valid.
    public func row(in team: TeamID) -> SQL {
        """
        SELECT FROM provider_identities AS standing
        WHERE standing.team_id = \(team) AND standing.provider = \(provider)
            AND standing.identifier = \(identifier) AND standing.sub = \(subject)
            AND standing.state = 'authorized' AND EXISTS (
                SELECT FROM users AS person
                WHERE person.team_id = \(team) AND person.sub = \(subject) AND person.suspended_at IS NULL
            ) \(consent(in: team))
        """
    }

    private func consent(in team: TeamID) -> SQL {
        guard let primaryAppID else { return "" }
        return """
            AND EXISTS (
                SELECT FROM consents AS given
                WHERE given.team_id = \(team) AND given.sub = \(subject) AND given.app_id = \(primaryAppID)
            )
            """
    }
}
