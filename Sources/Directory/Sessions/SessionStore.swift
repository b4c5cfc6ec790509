public import Core
public import Crypto
public import Platform
public import Postgres

/// Sessions at a team's hosted pages.
public struct SessionStore: Sendable {
    /// Greatest age of `last_seen_at` before a request updates it.
    static let seenEvery = Duration.minutes(5)
    /// Most sessions in a list, which shows the last seen.
    public static let listLimit = 100
    /// Most sessions beyond the quota that end at once.
    static let mostAtOnce = 1000

    private let database: TeamDatabase
    private let life: SessionLife
    private let random: RandomSource

    public init(_ database: TeamDatabase, life: SessionLife = .hosted, random: RandomSource = .system) {
        self.database = database
        self.life = life
        self.random = random
    }

    /// Creates a session for a user who has just authenticated.
    ///
    /// The token is always new, and the previous session of the browser ends, so that what was known before the sign-in
    /// is worthless after it. The oldest sessions beyond the quota end too. It is one statement, with the event
    /// `sign_in.completed`.
    ///
    /// - Parameters:
    ///   - first: method by which the user authenticated.
    ///   - second: second factor, if one was given.
    ///   - app: app that the sign-in leads to, for the event; nil if it leads to one of Pippin's own pages.
    public func begin(
        for subject: Subject, first: ProofMethod = .password, second: ProofMethod? = nil, to app: ClientID? = nil,
        in team: TeamID, from origin: Origin, replacing old: SessionToken? = nil, at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SessionToken {
        let beginning = Beginning(
            of: subject, by: [first, second].compactMap { $0 }, to: app, from: origin, replacing: old, at: now)
        let token = SessionToken(random: random)
        try await database.query(
            beginning.statement(
                token, taking: Proofs(takenBy: "SELECT \(subject)::text AS sub"), living: life, in: team), in: team)
        return token
    }

    /// Creates a session and uses up its stored proofs in one transaction; nil if they are no longer available.
    ///
    /// The user is locked first, as by operations that end the proofs.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`.
    public func begin(_ beginning: Beginning, taking proofs: Proofs, in team: TeamID) async throws -> SessionToken? {
        // A password was counted when it was tried.
        if beginning.factors.first != .password {
            let use = RateLimit.Use(.signIns, by: .account(beginning.subject))
            try await database.count([use], in: team, at: beginning.now)
        }
        let token = SessionToken(random: random)
        let statement = beginning.statement(token, taking: proofs, living: life, in: team)
        let rows = try await database.query([beginning.lock(in: team), statement], in: team)
        return rows.isEmpty ? nil : token
    }

    /// Session and its user; nil if it is unknown or expired, or its user is suspended.
    public func find(_ token: SessionToken, in team: TeamID, at now: Timestamp = .now()) async throws(PostgresFailure)
        -> Session?
    {
        let rows = try await database.query(
            """
            SELECT s.created_at, s.last_seen_at, s.expires_at, s.first_factor, s.second_factor,
                s.proved_at, \(EnrolledFactors.columns), \(UserStore.columns)
            FROM sessions s JOIN users u ON u.team_id = s.team_id AND u.sub = s.sub
            WHERE s.team_id = \(team) AND s.token_hash = \(token.hash)
                AND s.expires_at > \(now) AND s.last_seen_at > \(now - life.idle) AND u.suspended_at IS NULL
            """, in: team)
        guard var row = rows.first else { return nil }
        let (startedAt, lastSeenAt): (Timestamp, Timestamp) = (try row.next(), try row.next())
        let expiresAt: Timestamp = try row.next()
        let (first, second): (ProofMethod, ProofMethod?) = (try row.next(), try row.next())
        let provedAt: Timestamp = try row.next()
        let factors = try EnrolledFactors(&row)
        let isStale = lastSeenAt < now - Self.seenEvery
        if isStale { try await see(token, in: team, at: now) }
        return Session(
            id: SessionID(hash: token.hash), user: try User(&row), startedAt: startedAt,
            lastSeenAt: isStale ? now : lastSeenAt, expiresAt: expiresAt, firstFactor: first, secondFactor: second,
            provedAt: provedAt, factors: factors)
    }

    /// Replaces the token of a valid session after a change of rights or of team; the old token becomes invalid.
    public func renew(_ token: SessionToken, in team: TeamID, at now: Timestamp = .now()) async throws(PostgresFailure)
        -> SessionToken?
    {
        let new = SessionToken(random: random)
        let rows = try await database.query(
            """
            UPDATE sessions SET token_hash = \(new.hash), last_seen_at = \(now)
            WHERE team_id = \(team) AND token_hash = \(token.hash)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            """, in: team)
        return rows.changed == 1 ? new : nil
    }

    /// Records another proof of a session's user.
    ///
    /// The session gets a new token, because it has more rights from here on; the old token becomes invalid.
    ///
    /// - Parameter factor: second factor that was given; nil for the password again.
    /// - Returns: nil if the session ended meanwhile.
    public func stepUp(_ token: SessionToken, by factor: FactorKind?, in team: TeamID, at now: Timestamp = .now())
        async throws(PostgresFailure) -> SessionToken?
    {
        let new = SessionToken(random: random)
        let rows = try await database.query(
            """
            UPDATE sessions
            SET token_hash = \(new.hash), last_seen_at = \(now), proved_at = \(now),
                second_factor = COALESCE(\(factor), second_factor)
            WHERE team_id = \(team) AND token_hash = \(token.hash)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            """, in: team)
        return rows.changed == 1 ? new : nil
    }

    /// Valid sessions of a user, the last seen first.
    public func list(of subject: Subject, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> [SessionSummary]
    {
        let rows = try await database.query(
            """
            SELECT token_hash, created_at, last_seen_at, expires_at, ip, user_agent FROM sessions
            WHERE team_id = \(team) AND sub = \(subject)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            ORDER BY last_seen_at DESC, token_hash
            LIMIT \(Self.listLimit)
            """, in: team)
        return try rows.all(SessionSummary.init)
    }

    /// Updates `last_seen_at`, once for two concurrent requests; a crash may lose the last five minutes.
    private func see(_ token: SessionToken, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE sessions SET last_seen_at = \(now)
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND last_seen_at < \(now - Self.seenEvery)
            """, in: team, durability: .relaxed)
    }

    /// Ends one session of a user.
    ///
    /// - Parameter right: session that requests it; nil if the session ends itself.
    /// - Returns: whether the user had the session.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    @discardableResult public func end(
        _ id: SessionID, of subject: Subject, in team: TeamID, by actor: Actor, with right: SessionRight? = nil,
        from origin: Origin
    ) async throws -> Bool {
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            try await UserStore.lock(subject, by: right, change)
            let ended = try await change.query(
                """
                DELETE FROM sessions
                WHERE team_id = \(team) AND token_hash = \(id.hash) AND sub = \(subject)
                """)
            guard ended.changed == 1 else { return false }
            try await change.record("session.ended", .user(subject))
            return true
        }
    }

    /// Ends all sessions of a user except `kept`, and returns their number.
    ///
    /// - Parameter right: session that requests it; nil if another party requests it.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    @discardableResult public func endAll(
        of subject: Subject, except kept: SessionID? = nil, in team: TeamID, by actor: Actor,
        with right: SessionRight? = nil, from origin: Origin, because reason: String? = nil
    ) async throws -> Int {
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            try await UserStore.lock(subject, by: right, change)
            let ended = try await change.query(Self.deletion(of: subject, except: kept, in: team)).changed
            guard ended > 0 else { return 0 }
            let after = JSONValue.members(["count": .integer(Int64(ended))], because: reason)
            try await change.record(change.event("sessions.ended", on: .user(subject), after: after))
            return ended
        }
    }

    /// Deletes the sessions of a user, however many there are.
    public static func deleteAll(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) {
        let team = change.team
        _ = try await change.transaction.deleteInBatches { limit in
            """
            DELETE FROM sessions WHERE team_id = \(team) AND token_hash IN (
                SELECT token_hash FROM sessions WHERE team_id = \(team) AND sub = \(subject) LIMIT \(limit)
            )
            """
        }
    }

    /// Statement that deletes a user's sessions that began with a sign-in at a provider.
    ///
    /// - Parameters:
    ///   - end: sessions that began later remain; nil deletes all.
    ///   - horizon: sessions dated later were written while a clock was ahead, and are deleted as well.
    public static func deletion(
        of subject: Subject, begunAt provider: ProviderID, until end: Timestamp? = nil,
        orAfter horizon: Timestamp? = nil, except kept: SessionID? = nil, in team: TeamID
    ) -> SQL {
        """
        \(deletion(of: subject, except: kept, in: team)) AND first_factor = \(provider.rawValue)
            AND (\(end) IS NULL OR created_at <= \(end) OR created_at > \(horizon))
        """
    }

    /// Statement that deletes the sessions of a user that began at certain times.
    ///
    /// - Parameter times: a query with one column.
    public static func deletion(of subject: Subject, begunAt times: SQL, in team: TeamID) -> SQL {
        "DELETE FROM sessions WHERE team_id = \(team) AND sub = \(subject) AND created_at IN (\(times))"
    }

    /// Statement that deletes a user's sessions, except one.
    public static func deletion(of subject: Subject, except kept: SessionID? = nil, in team: TeamID) -> SQL {
        """
        DELETE FROM sessions
        WHERE team_id = \(team) AND sub = \(subject) AND token_hash IS DISTINCT FROM \(kept?.hash)
        """
    }
}

extension SessionStore {
    /// Stored proofs that a session is created from, used once.
    public struct Proofs: Sendable {
        let taking: SQL

        /// - Parameter statement: takes the proofs, and yields a row with the `sub` that they are about if they are
        ///   available.
        public init(takenBy statement: SQL) { taking = statement }
    }

    /// User, proofs and origin of a new session.
    public struct Beginning: Sendable {
        fileprivate let subject: Subject
        fileprivate let factors: [ProofMethod]
        private let app: ClientID?
        private let origin: Origin
        private let old: SessionToken?
        fileprivate let now: Timestamp

        /// - Parameters:
        ///   - factors: methods by which the user authenticated: the first, and a second if one was given.
        ///   - app: app that the sign-in leads to, for the event; nil if it leads to one of Pippin's own pages.
        ///   - old: previous session of the browser, which ends.
        public init(
            of subject: Subject, by factors: [ProofMethod], to app: ClientID?, from origin: Origin,
            replacing old: SessionToken?, at now: Timestamp
        ) {
            (self.subject, self.factors, self.app) = (subject, factors, app)
            (self.origin, self.old, self.now) = (origin, old, now)
        }
    }
}

extension SessionStore.Beginning {
    func lock(in team: TeamID) -> SQL { UserStore.lock(subject, in: team) }

    /// Creates the session if `proofs` yields the user, with the event `sign_in.completed`.
    ///
    /// Proofs of another user create none: the user may have changed since they were read.
    func statement(_ token: SessionToken, taking proofs: SessionStore.Proofs, living life: SessionLife, in team: TeamID)
        -> SQL
    {
        """
        WITH given AS (
            \(proofs.taking)
        ), taken AS (
            SELECT FROM given WHERE sub = \(subject)
        ), ended AS (
            DELETE FROM sessions
            WHERE team_id = \(team) AND token_hash = \(old?.hash) AND EXISTS (SELECT FROM taken)
        ), \(outnumbered(in: team)), person AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT FROM taken)
        ), audit AS (
            \(event(in: team).insertion(in: team, when: "FROM taken"))
        )
        INSERT INTO sessions
            (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
            second_factor, proved_at)
        SELECT \(team), \(token.hash), \(subject), \(now), \(now), \(now + life.absolute), \(origin.ip),
            \(origin.userAgent), \(factors.first ?? .password), \(factors.dropFirst().first), \(now)
        FROM taken
        RETURNING sub
        """
    }

    /// Parts of a WITH clause that end the user's sessions beyond the newest of its quota, including the new session.
    ///
    /// If there are very many, only an arbitrary part of them is read: a session with so many newer ones in the part
    /// has them among all. Locked sessions are skipped, and stay until the next time. Each session is looked up by its
    /// key, whatever the planner estimates of their number.
    private func outnumbered(in team: TeamID) -> SQL {
        let kept = Quota.sessions.count - 1
        return """
            excess AS MATERIALIZED (
                SELECT token_hash FROM (
                    SELECT token_hash, created_at FROM sessions
                    WHERE team_id = \(team) AND sub = \(subject) AND token_hash IS DISTINCT FROM \(old?.hash)
                    LIMIT \(kept + SessionStore.mostAtOnce)
                ) AS part
                ORDER BY created_at DESC, token_hash
                OFFSET \(kept)
            ), held AS MATERIALIZED (
                SELECT token_hash FROM excess JOIN sessions USING (token_hash)
                WHERE team_id = \(team)
                FOR UPDATE OF sessions SKIP LOCKED
            ), outnumbered AS (
                DELETE FROM sessions USING held
                WHERE sessions.team_id = \(team) AND sessions.token_hash = held.token_hash
                    AND EXISTS (SELECT FROM taken)
            )
            """
    }

    private func event(in team: TeamID) -> AuditEvent {
        AuditEvent(
            AuditEvent.signInCompleted, by: .user(subject, of: team),
            on: app.map(AuditEvent.Target.client) ?? .user(subject), from: origin,
            after: ["factors": .array(factors.map { .string($0.rawValue) })])
    }
}

extension Actor {
    /// Actor of a user's own action: a console account in the system team.
    public static func user(_ subject: Subject, of team: TeamID) -> Actor {
        team == .system ? .member(subject) : .person(subject)
    }
}

extension TeamDatabase {
    /// Runs `body` as one change by a user of what is theirs; it locks the user first (`UserStore.lock`).
    public func change<Value>(
        by subject: Subject, in team: TeamID, from origin: Origin, _ body: (borrowing Change) async throws -> Value
    ) async throws -> Value {
        let (actor, row) = (Actor.user(subject, of: team), LockedRow.person(subject, in: team))
        return try await change(in: team, by: actor, from: origin, locking: row, body)
    }
}
