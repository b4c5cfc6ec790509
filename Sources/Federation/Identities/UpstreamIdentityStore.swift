public import Core
public import Directory
public import OAuth
public import Platform
public import Postgres

/// Users who sign in through a provider, with the data it shared with apps.
public struct UpstreamIdentityStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Current user with the consent.
    public struct Known: Sendable {
        public let user: User
        public let consent: Consent?

        init(_ row: inout Row) throws(PostgresFailure) {
            user = try User(&row)
            let hasConsent: Bool = try row.next()
            consent = hasConsent ? try Consent(&row) : nil
        }
    }

    /// Stores a login before any step that can fail.
    ///
    /// Durable on return, in one round trip for a returning user without new data, and in two for most others.
    ///
    /// An unknown user is added with the provider's identifier as `sub`. A user known by `transfer_sub` from another of
    /// the provider's teams keeps their `sub`, as does one who has linked the account. A user of the directory whose
    /// `sub` happens to equal the identifier is a different user, regardless of the provider's statement.
    ///
    /// - Throws: `UpstreamFailure`, with nothing written, if the identifier is taken in this way, the user is suspended,
    ///   or was unlinked since; `PostgresFailure`.
    public func record(_ login: UpstreamLogin, in team: TeamID) async throws -> Known {
        if let known = try await recognise(login, in: team) { return known }
        return try await write(login, in: team) { statements throws(PostgresFailure) in
            try await database.query(statements, in: team)
        }
    }

    /// Stores a login by statements that `run` executes.
    ///
    /// - Parameter run: runs statements in order and returns the rows of the last one.
    /// - Throws: `UpstreamFailure`, with nothing written; `PostgresFailure`.
    public func write(_ login: UpstreamLogin, in team: TeamID, by run: ([SQL]) async throws(PostgresFailure) -> Rows)
        async throws -> Known
    {
        guard var row = try await run(login.statements(in: team)).first else {
            throw try await obstacle(login, team, run)
        }
        let linkedUser = try LinkedUser(&row)
        guard linkedUser.isLinked, let primaryAppID = login.primaryAppID else { return try Known(&row) }
        // Locks the user again if this is another transaction: a consent ended between the two is then seen.
        let decision = [login.lock(in: team), login.linkedConsent(primaryAppID, linkedUser.vault, team)]
        guard var row = try await run(decision + [login.known(team)]).first else {
            throw try await obstacle(login, team, run)
        }
        _ = try LinkedUser(&row)
        return try Known(&row)
    }

    /// The reason for which a login was not stored; an unlink if there is none any more.
    private func obstacle(_ login: UpstreamLogin, _ team: TeamID, _ run: ([SQL]) async throws(PostgresFailure) -> Rows)
        async throws -> UpstreamFailure
    {
        guard var row = try await run([login.obstacle(in: team)]).first else { return .unlinked }
        return try UpstreamFailure(ofLogin: &row) ?? .unlinked
    }

    /// Link status of the user, and the name received once.
    private struct LinkedUser {
        /// Whether the user has linked the account to an existing one.
        let isLinked: Bool
        /// Name received once; nil if none was.
        let vault: PersonName?

        init(_ row: inout Row) throws(PostgresFailure) {
            isLinked = try row.next()
            let name = PersonName(sentOnce: try row.next(), try row.next())
            let hasName: Bool = try row.next()
            vault = hasName ? name : nil
        }
    }
}

// Completed sign-ins.
extension UpstreamIdentityStore {
    /// Current user with the consent for a group of apps.
    public func find(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> Known?
    {
        let rows = try await database.query(
            """
            SELECT \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
            FROM users u
            LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(primaryAppID)
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            """, in: team)
        guard var row = rows.first else { return nil }
        return try Known(&row)
    }

    /// Counts a sign-in that is completed without a session.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`.
    func count(signInOf subject: Subject, in team: TeamID, at now: Timestamp) async throws {
        try await database.count([RateLimit.Use(.signIns, by: .account(subject))], in: team, at: now)
    }

    /// Two parts of a WITH clause that log the user's sign-in to an app and store its time.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written if it yields no row.
    public func completion(
        of subject: Subject, by provider: ProviderID, to app: ClientID, in team: TeamID, from origin: Origin,
        at now: Timestamp, when condition: SQL = ""
    ) -> SQL {
        let event = AuditEvent(
            AuditEvent.signInCompleted, by: .person(subject), on: .client(app), from: origin,
            after: ["factors": [.string(provider.rawValue)]])
        return """
            \(UserStore.noting(everySignInOf: subject, in: team, at: now, when: condition)), completion AS (
                \(event.insertion(in: team, when: condition))
            )
            """
    }
}

// Users announced by native apps.
extension UpstreamIdentityStore {
    /// Stores an announcement; durable on return if it has a name.
    ///
    /// - Throws: `UpstreamFailure`, with nothing stored, if its login could not be stored now; `PostgresFailure`.
    public func announce(_ announcement: UpstreamAnnouncement, in team: TeamID) async throws {
        let statements = [
            announcement.turn(in: team), announcement.insertion(in: team), announcement.login.obstacle(in: team),
        ]
        guard var row = try await database.query(statements, in: team).first else { return }
        if let failure = try UpstreamFailure(ofLogin: &row) { throw failure }
    }

    /// Ends an announcement that did not lead to a sign-in.
    ///
    /// - Parameter isRefused: whether the provider rejected it. A name that the provider may have confirmed, in this
    ///   try or an earlier one, is kept for the user's next sign-in.
    public func dismiss(_ announcement: UpstreamAnnouncement, isRefused: Bool, in team: TeamID)
        async throws(PostgresFailure)
    { try await database.query(announcement.dismissal(isRefused: isRefused, in: team), in: team) }

    /// Stores a login as `record(_:in:)` does, unless an unlink has ended its announcement, or revoked the identity.
    ///
    /// - Parameter announcement: nil if the login was not announced.
    public func record(_ login: UpstreamLogin, announcedBy announcement: UpstreamAnnouncement?, in team: TeamID)
        async throws -> Known
    {
        // Finds only identities in state `authorized`.
        if let known = try await recognise(login, in: team) { return known }
        return try await database.transaction(in: team) { transaction in
            // The user is locked first, as an unlink does too.
            let status = announcement?.removal(in: team) ?? login.status(in: team)
            guard try await !transaction.query([login.lock(in: team), status]).isEmpty else {
                throw UpstreamFailure.unlinked
            }
            return try await write(login, in: team) { statements throws(PostgresFailure) in
                try await transaction.query(statements)
            }
        }
    }
}

// Repeated logins without new data.
extension UpstreamIdentityStore {
    /// Finds the user of a login without new data: one statement in place of all those that store a login.
    ///
    /// Only the time and the group of apps are written, which a crash may lose.
    ///
    /// - Returns: nil if anything differs.
    func recognise(_ login: UpstreamLogin, in team: TeamID) async throws(PostgresFailure) -> Known? {
        guard let statement = login.recognition(in: team) else { return nil }
        guard var row = try await database.query(statement, in: team, durability: .relaxed).first else { return nil }
        return try Known(&row)
    }
}
