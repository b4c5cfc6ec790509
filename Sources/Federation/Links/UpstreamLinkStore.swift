import Core
import Directory
import OAuth
public import Platform
public import Postgres

/// Links provider accounts to existing users: never by a matching address, only for a user who has authenticated at
/// both.
public struct UpstreamLinkStore: Sendable {
    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Link requested by a user who has authenticated at a provider, within a session.
    struct Link: Sendable {
        let subject: Subject
        let provider: ProviderID
        let identity: UpstreamIdentity
        let form: UpstreamForm?
        let session: SessionID
        let origin: Origin
        let at: Timestamp
        let proof: UpstreamUnlinks.Proof
    }

    /// Reason why the account is not linked.
    public enum Obstacle: Error, Hashable, Sendable {
        /// The account is linked to this user already.
        case known
        /// The account belongs to another user of the team.
        case taken
        /// The user has linked another account of the provider.
        case another
        /// The session has ended, or the upstream request is used up.
        case expired
    }

    /// Current obstacle to the link, or nil.
    ///
    /// - Throws: `UpstreamFailure` if the user was unlinked from the account since; `PostgresFailure`.
    func obstacle(to link: Link, in team: TeamID) async throws -> Obstacle? {
        try Self.obstacle(link, try await database.query(link.status(in: team), in: team))
    }

    /// Links the account if the session is valid and there is no obstacle, with all related writes in one transaction.
    ///
    /// - Parameters:
    ///   - upstreamRequest: deletes the upstream request; unless it changes a row, nothing is linked.
    ///   - statements: additional writes.
    ///   - mailer: notifies the user by mail.
    /// - Throws: `Obstacle`, `UpstreamFailure`, `PostgresFailure`.
    func connect(
        _ link: Link, in team: TeamID, ending upstreamRequest: SQL, with statements: [SQL], telling mailer: FactorMailer
    ) async throws {
        try await database.change(by: link.subject, in: team, from: link.origin) { change in
            // The user is locked first, so that the end of the session or a suspension is seen here, or waits.
            try await change.query(UserStore.lock(link.subject, in: team))
            guard try await !change.query(link.session(in: team)).isEmpty,
                try await change.query(upstreamRequest).changed == 1
            else { throw Obstacle.expired }
            if let obstacle = try Self.obstacle(link, try await change.query(link.status(in: team))) { throw obstacle }
            guard try await change.query(link.insertion(in: team)).changed == 1 else { throw Obstacle.taken }
            for statement in statements { try await change.query(statement) }
            // The log contains no addresses because it outlives the user.
            try await change.record(
                "identity.linked", .user(link.subject),
                to: [
                    "provider": .string(link.provider.rawValue),
                    "identifier": .string(link.identity.identifier.rawValue),
                ])
            try await mailer.send(.appleConnected, to: link.subject, change)
        }
    }

    private static func obstacle(_ link: Link, _ rows: Rows) throws -> Obstacle? {
        guard var row = rows.first else { return nil }
        let owner: Subject? = try row.next()
        let (isSomebody, hasAnother): (Bool, Bool) = (try row.next(), try row.next())
        guard try row.next(Bool.self) else { throw UpstreamFailure.unlinked }
        if let owner { return owner == link.subject ? .known : .taken }
        return isSomebody ? .taken : hasAnother ? .another : nil
    }
}

extension UpstreamLinkStore.Link {
    /// Yields the user of the account, whether its identifier is another user's `sub`, whether this user has linked one,
    /// and whether nobody was unlinked from it since the proof arrived.
    fileprivate func status(in team: TeamID) -> SQL {
        """
        SELECT
            (
                SELECT sub FROM upstream_identities
                WHERE team_id = \(team) AND provider = \(provider)
                    AND (identifier = \(identity.identifier) OR transfer_sub = \(identity.transferSubject))
                ORDER BY created_at LIMIT 1
            ),
            EXISTS (
                SELECT FROM users
                WHERE team_id = \(team) AND sub = \(identity.identifier) AND sub <> \(subject)
            ),
            EXISTS (
                SELECT FROM upstream_identities
                WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject)
            ), \(proof.stands(for: identity, at: provider, in: team))
        """
    }

    /// Yields the session if it is valid and the user not suspended, locked until the transaction ends.
    fileprivate func session(in team: TeamID) -> SQL {
        """
        SELECT FROM sessions JOIN users USING (team_id, sub)
        WHERE team_id = \(team) AND token_hash = \(session.hash) AND sub = \(subject) AND expires_at > \(at)
            AND suspended_at IS NULL
        FOR KEY SHARE OF sessions
        """
    }

    fileprivate func insertion(in team: TeamID) -> SQL {
        """
        INSERT INTO upstream_identities (
            team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
            form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at
        ) VALUES (
            \(team), \(provider), \(identity.identifier), \(subject), \(identity.transferSubject),
            \(identity.realUserStatus), \(UpstreamForm.kept(form?.givenName) ?? ""),
            \(UpstreamForm.kept(form?.familyName) ?? ""), \(UpstreamForm.kept(form?.email)),
            \(form == nil ? nil : at), \(identity.email?.address), \(identity.email?.isPrivate ?? false), \(at), \(at),
            \(at), \(at)
        )
        ON CONFLICT DO NOTHING
        """
    }
}

/// Condition that a provider account is still linked to a user who may sign in.
///
/// The final writes of a sign-in at the provider depend on it.
public struct UpstreamLinkStatus: Sendable {
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
            (SELECT sub FROM upstream_identities
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier))
            """
        return UserStore.lock(person, in: team)
    }

    /// Yields one row while the link is valid.
    public func row(in team: TeamID) -> SQL {
        """
        SELECT FROM upstream_identities AS standing
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
