import Audit
public import Bytes
public import Domain
public import Postgres

/// Keeps the people who come through a provider, with what it let apps know of them.
public struct ProviderPersonStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Somebody who has just proved who they are.
    public struct Arrival: Sendable {
        let provider: ProviderID
        let identity: ProviderIdentity
        let form: ProviderForm?
        let group: ClientID?
        let scopes: Scopes
        let origin: Origin
        let at: Timestamp
        let proof: ProviderPartings.Proof?

        /// - Parameters:
        ///   - form: what came in a form field, the first time only.
        ///   - group: the group of apps that is let know; nil where the sign-in leads to a page of ours.
        ///   - scopes: what was asked for.
        ///   - proof: of what may have waited: nobody is written down who has parted since.
        public init(
            _ identity: ProviderIdentity,
            from provider: ProviderID,
            form: ProviderForm?,
            group: ClientID?,
            asking scopes: Scopes,
            origin: Origin,
            at moment: Timestamp,
            provedBy proof: ProviderPartings.Proof? = nil
        ) {
            self.provider = provider
            self.identity = identity
            self.form = form
            self.group = group
            self.scopes = scopes
            self.origin = origin
            at = moment
            self.proof = proof
        }
    }

    /// The person as they are now, with their consent.
    public struct Known: Sendable {
        public let user: User
        public let consent: Consent?

        init(_ row: inout Row) throws(PostgresFailure) {
            user = try User(&row)
            let hasConsent: Bool = try row.next()
            consent = hasConsent ? try Consent(&row) : nil
        }
    }

    /// Stores who came and what they said, before anything that can fail: durable when it returns, in one round trip for
    /// those who come again with nothing new, and in two for most others.
    ///
    /// A person nobody knows is added under the provider's own name for them; one known by `transfer_sub` from another
    /// of the provider's teams stays who they are, as does one who has connected the account to theirs. Somebody of the
    /// directory who bears that name by accident is another person, whoever says so.
    ///
    /// - Returns: nil, with nothing written, where the provider's name for them is taken so, or they have parted since.
    public func record(_ arrival: Arrival, in team: TeamID) async throws(PostgresFailure) -> Known? {
        if let known = try await recognise(arrival, in: team) { return known }
        return try await write(arrival, in: team) { statements throws(PostgresFailure) in
            try await database.query(statements, in: team)
        }
    }

    /// - Parameter run: runs statements one after the other, and yields the rows of the last one.
    func write(
        _ arrival: Arrival,
        in team: TeamID,
        by run: ([SQL]) async throws(PostgresFailure) -> Rows
    ) async throws(PostgresFailure) -> Known? {
        guard var row = try await run(arrival.statements(in: team)).first else { return nil }
        let resident = try Resident(&row)
        guard resident.isLinked, let group = arrival.group else { return try Known(&row) }
        // The person again, where this is another transaction: whoever ends their consent between the two is seen.
        let decision = [arrival.lock(in: team), arrival.linkedConsent(group, resident.vault, team)]
        guard var row = try await run(decision + [arrival.known(team)]).first else { return nil }
        _ = try Resident(&row)
        return try Known(&row)
    }

    /// How somebody is known here.
    private struct Resident {
        /// Whether they have connected the account to theirs.
        let isLinked: Bool
        /// The name that came once; nil where none did.
        let vault: PersonName?

        init(_ row: inout Row) throws(PostgresFailure) {
            isLinked = try row.next()
            let name = PersonName(given: try row.next(), family: try row.next())
            let hasName: Bool = try row.next()
            vault = hasName ? name ?? PersonName.none : nil
        }
    }
}

// A sign-in that is done.
extension ProviderPersonStore {
    /// The person as they are now, with what a group of apps may know.
    public func find(
        _ subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> Known? {
        let rows = try await database.query(
            """
            SELECT \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
            FROM users u
            LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(group)
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try Known(&row)
    }

    /// Two parts of a WITH clause that say in the log that the person signed in to an app, and note when.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public func completion(
        of subject: Subject,
        by provider: ProviderID,
        to app: ClientID,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp,
        when condition: SQL = ""
    ) -> SQL {
        let event = AuditEvent(
            "sign_in.completed",
            by: .person(subject),
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["app": .string(app.rawValue), "factors": [.string(provider.rawValue)]]
        )
        return """
            completed AS (
                UPDATE users SET last_sign_in_at = \(now)
                WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
            ), completion AS (
                \(event.insertion(in: team, when: condition))
            )
            """
    }
}
