public import Domain
public import Postgres

/// That an account at a provider still leads to somebody who may come in: what a sign-in there writes at its end depends on
/// it.
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

    /// Locks the person: whoever suspends them, or ends what came by way of the provider, does so first, and waits.
    public func lock(in team: TeamID) -> SQL {
        UserStore.lock(subject, in: team)
    }

    /// The same of whoever goes by a provider's name here.
    public static func lock(whomever provider: ProviderID, calls identifier: Subject, in team: TeamID) -> SQL
    {
        let person: SQL = """
            (SELECT sub FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier))
            """
        return UserStore.lock(person, in: team)
    }

    /// Yields one row while it stands.
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
        guard let group else { return "" }
        return """
            AND EXISTS (
                SELECT FROM consents AS given
                WHERE given.team_id = \(team) AND given.sub = \(subject) AND given.app_id = \(group)
            )
            """
    }
}
