public import Domain
public import Postgres

/// That an account at a provider still leads to somebody: what a sign-in there writes at its end depends on it.
public struct ProviderStanding: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let identifier: Subject
    private let group: ClientID?

    /// - Parameters:
    ///   - identifier: what the provider calls the person.
    ///   - group: a group of apps whose consent must stand, too.
    public init(
        of subject: Subject,
        at provider: ProviderID,
        as identifier: Subject,
        consentingTo group: ClientID? = nil
    ) {
        self.subject = subject
        self.provider = provider
        self.identifier = identifier
        self.group = group
    }

    /// Locks the person: whoever ends what came by way of the provider does so first, and waits.
    public func lock(in team: TeamID) -> SQL {
        UserStore.lock(subject, in: team)
    }

    /// Yields one row while it stands.
    public func row(in team: TeamID) -> SQL {
        """
        SELECT FROM provider_identities AS standing
        WHERE standing.team_id = \(team) AND standing.provider = \(provider)
            AND standing.identifier = \(identifier) AND standing.sub = \(subject)
            AND standing.state = 'authorized' \(consent(in: team))
        """
    }

    private func consent(in team: TeamID) -> SQL {
        guard let group else { return "" }
        return """
            AND EXISTS (
                SELECT FROM consents AS given
                WHERE given.team_id = \(team) AND given.sub = \(subject) AND given.app_id = \(group)
            )
            """
    }
}
