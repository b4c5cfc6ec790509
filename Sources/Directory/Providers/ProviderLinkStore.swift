import Audit
public import Bytes
public import Domain
public import Postgres

/// Connects accounts at providers to people who have one here: never because an address matches, only for somebody who
/// has proved both.
public struct ProviderLinkStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Somebody who has proved who they are at a provider, in a session of theirs.
    public struct Link: Sendable {
        public let subject: Subject
        let provider: ProviderID
        let identity: ProviderIdentity
        let form: ProviderForm?
        let session: SessionID
        let origin: Origin
        let at: Timestamp

        public init(
            of identity: ProviderIdentity,
            at provider: ProviderID,
            form: ProviderForm?,
            to subject: Subject,
            in session: SessionID,
            from origin: Origin,
            at moment: Timestamp
        ) {
            self.subject = subject
            self.provider = provider
            self.identity = identity
            self.form = form
            self.session = session
            self.origin = origin
            at = moment
        }
    }

    /// Why nothing is connected.
    public enum Obstacle: Error, Hashable, Sendable {
        /// It is theirs already.
        case known
        /// It leads to somebody else of the team.
        case taken
        /// They have connected another account there.
        case another
        /// Their session has ended, or the trip is used up.
        case over
    }

    /// What stands against it by now; nil for nothing.
    public func obstacle(to link: Link, in team: TeamID) async throws(PostgresFailure) -> Obstacle? {
        try Self.obstacle(link, try await database.query(link.standing(in: team), in: team))
    }

    /// Connects the account, if the session lives and nothing stands against it, with what else belongs to it: all in
    /// one transaction.
    ///
    /// - Parameters:
    ///   - trip: takes the trip away; unless it changes a row, nothing is connected.
    ///   - statements: what is written beside.
    ///   - post: tells the person.
    /// - Throws: `Obstacle`, `PostgresFailure`.
    public func connect(
        _ link: Link,
        in team: TeamID,
        ending trip: SQL,
        with statements: [SQL],
        telling post: FactorPost
    ) async throws {
        try await database.transaction(in: team, locking: .person(link.subject, in: team)) { transaction in
            // The person first: whoever ends their session or suspends them is seen here, or waits.
            try await transaction.query(UserStore.lock(link.subject, in: team))
            guard try await !transaction.query(link.session(in: team)).isEmpty,
                try await transaction.query(trip).changed == 1
            else { throw Obstacle.over }
            if let obstacle = try Self.obstacle(link, try await transaction.query(link.standing(in: team))) {
                throw obstacle
            }
            guard try await transaction.query(link.insertion(in: team)).changed == 1 else {
                throw Obstacle.taken
            }
            for statement in statements { try await transaction.query(statement) }
            try await link.event.record(in: team, transaction)
            try await post.tell(.providerLinked(link.provider), to: link.subject, in: team, transaction)
        }
    }

    private static func obstacle(_ link: Link, _ rows: Rows) throws(PostgresFailure) -> Obstacle? {
        guard var row = rows.first else { return nil }
        let owner: Subject? = try row.next()
        let (isSomebody, hasAnother): (Bool, Bool) = (try row.next(), try row.next())
        if let owner { return owner == link.subject ? .known : .taken }
        return isSomebody ? .taken : hasAnother ? .another : nil
    }
}

extension ProviderLinkStore.Link {
    private static let transferWindow = ProviderPersonStore.Arrival.transferWindow

    /// Whose the account is, whether somebody goes by its name, and whether the person has one there already.
    fileprivate func standing(in team: TeamID) -> SQL {
        """
        SELECT
            (
                SELECT sub FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider)
                    AND (identifier = \(identity.identifier)
                        OR transfer_sub = \(identity.transferSubject) AND last_seen_at > \(at - Self.transferWindow))
                ORDER BY created_at LIMIT 1
            ),
            EXISTS (
                SELECT FROM users
                WHERE team_id = \(team) AND sub = \(identity.identifier) AND sub <> \(subject)
            ),
            EXISTS (
                SELECT FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject)
            )
        """
    }

    /// The session while it lives, of somebody who is not suspended; it does not end before the transaction does.
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
        INSERT INTO provider_identities (
            team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
            form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at
        ) VALUES (
            \(team), \(provider), \(identity.identifier), \(subject), \(identity.transferSubject),
            \(identity.realUserStatus), \(ProviderForm.kept(form?.givenName) ?? ""),
            \(ProviderForm.kept(form?.familyName) ?? ""), \(ProviderForm.kept(form?.email)),
            \(form == nil ? nil : at), \(identity.email?.address), \(identity.email?.isPrivate ?? false), \(at), \(at),
            \(at), \(at)
        )
        ON CONFLICT DO NOTHING
        """
    }

    /// Addresses stay out of the log, which outlives the person.
    fileprivate var event: AuditEvent {
        AuditEvent(
            "identity.linked",
            by: .person(subject),
            on: .user(subject),
            from: origin,
            after: [
                "provider": .string(provider.rawValue), "identifier": .string(identity.identifier.rawValue),
            ]
        )
    }
}
