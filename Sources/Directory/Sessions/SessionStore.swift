import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// The sessions at a team's hosted pages.
public struct SessionStore: Sendable {
    /// How old `last_seen_at` may grow before a request writes it.
    static let seenEvery = Duration.minutes(5)
    /// Of sessions in a list; the newest are shown.
    public static let listLimit = 100
    /// Of sessions of one person: beyond them the oldest end when another one begins.
    static let mostOfPerson = 200
    /// How many end that way at once.
    static let mostAtOnce = 1000

    private let database: TeamDatabase
    private let life: SessionLife
    private let random: RandomSource

    public init(_ database: TeamDatabase, life: SessionLife = .hosted, random: RandomSource = .system) {
        self.database = database
        self.life = life
        self.random = random
    }

    /// Begins a session for a person who has just proved who they are.
    ///
    /// Always under a new token, and the session the browser had before ends: what it knew before the sign-in is
    /// worth nothing after it. So do the oldest of a person who has very many. One statement with the event
    /// `sign_in.completed`.
    ///
    /// - Parameters:
    ///   - first: how the person proved who they are.
    ///   - second: the second factor, where one was given.
    ///   - app: the app the sign-in leads to, which the event names; none where it leads to a page of ours.
    public func begin(
        for subject: Subject,
        first: ProofMethod = .password,
        second: ProofMethod? = nil,
        to app: ClientID? = nil,
        in team: TeamID,
        from origin: Origin,
        replacing old: SessionToken? = nil,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SessionToken {
        let beginning = Beginning(
            of: subject,
            by: [first, second].compactMap { $0 },
            to: app,
            from: origin,
            replacing: old,
            at: now
        )
        let token = SessionToken(random: random)
        try await database.query(
            beginning.statement(
                token,
                taking: Proofs(takenBy: "SELECT \(subject)::text AS sub"),
                living: life,
                in: team
            ),
            in: team
        )
        return token
    }

    /// The same for proofs that are taken with it, in one transaction; nil where there are none to take any more.
    ///
    /// The person first: whoever ends what they proved does so, too.
    public func begin(
        _ beginning: Beginning,
        taking proofs: Proofs,
        in team: TeamID
    ) async throws(PostgresFailure) -> SessionToken? {
        let token = SessionToken(random: random)
        let statement = beginning.statement(token, taking: proofs, living: life, in: team)
        let rows = try await database.query([beginning.lock(in: team), statement], in: team)
        return rows.isEmpty ? nil : token
    }

    /// The session and its person, or nil when it is unknown, over, or its person suspended.
    public func find(
        _ token: SessionToken,
        in team: TeamID,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> Session? {
        let rows = try await database.query(
            """
            SELECT s.created_at, s.last_seen_at, s.expires_at, s.first_factor, s.second_factor,
                s.proved_at, \(UserStore.columns)
            FROM sessions s JOIN users u ON u.team_id = s.team_id AND u.sub = s.sub
            WHERE s.team_id = \(team) AND s.token_hash = \(token.hash)
                AND s.expires_at > \(now) AND s.last_seen_at > \(now - life.idle) AND u.suspended_at IS NULL
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        let (startedAt, lastSeenAt): (Timestamp, Timestamp) = (try row.next(), try row.next())
        let expiresAt: Timestamp = try row.next()
        let (first, second): (ProofMethod, ProofMethod?) = (try row.next(), try row.next())
        let provedAt: Timestamp = try row.next()
        let isStale = lastSeenAt < now - Self.seenEvery
        if isStale { try await see(token, in: team, at: now) }
        return Session(
            id: SessionID(hash: token.hash),
            user: try User(&row),
            startedAt: startedAt,
            lastSeenAt: isStale ? now : lastSeenAt,
            expiresAt: expiresAt,
            firstFactor: first,
            secondFactor: second,
            provedAt: provedAt
        )
    }

    /// Gives a living session a new token, which a change of rights or of team calls for; the old one is dead.
    public func renew(
        _ token: SessionToken,
        in team: TeamID,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SessionToken? {
        let new = SessionToken(random: random)
        let rows = try await database.query(
            """
            UPDATE sessions SET token_hash = \(new.hash), last_seen_at = \(now)
            WHERE team_id = \(team) AND token_hash = \(token.hash)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            """,
            in: team
        )
        return rows.changed == 1 ? new : nil
    }

    /// Notes one more proof of who a session's person is.
    ///
    /// Under a new token, since the session may do more from here on; the old one is dead.
    /// - Parameter factor: the second factor that was given; nil for the password once more.
    /// - Returns: nil when the session ended meanwhile.
    public func raise(
        _ token: SessionToken,
        by factor: FactorKind?,
        in team: TeamID,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SessionToken? {
        let new = SessionToken(random: random)
        let rows = try await database.query(
            """
            UPDATE sessions
            SET token_hash = \(new.hash), last_seen_at = \(now), proved_at = \(now),
                second_factor = COALESCE(\(factor), second_factor)
            WHERE team_id = \(team) AND token_hash = \(token.hash)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            """,
            in: team
        )
        return rows.changed == 1 ? new : nil
    }

    /// The living sessions of a person, the last seen first.
    public func list(
        of subject: Subject,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> [SessionSummary] {
        let rows = try await database.query(
            """
            SELECT token_hash, created_at, last_seen_at, expires_at, ip, user_agent FROM sessions
            WHERE team_id = \(team) AND sub = \(subject)
                AND expires_at > \(now) AND last_seen_at > \(now - life.idle)
            ORDER BY last_seen_at DESC, token_hash
            LIMIT \(Self.listLimit)
            """,
            in: team
        )
        var sessions: [SessionSummary] = []
        for var row in rows { sessions.append(try SessionSummary(&row)) }
        return sessions
    }

    /// Two requests at once write it once; a crash may take the last five minutes back.
    private func see(
        _ token: SessionToken,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            UPDATE sessions SET last_seen_at = \(now)
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND last_seen_at < \(now - Self.seenEvery)
            """,
            in: team
        )
    }
}

// Ending.
extension SessionStore {
    /// Ends one session of a person.
    ///
    /// - Parameter right: the session in which they ask for it; nil where the session ends itself.
    /// - Returns: whether the person had it.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    @discardableResult
    public func end(
        _ id: SessionID,
        of subject: Subject,
        in team: TeamID,
        by actor: Actor,
        with right: SessionRight? = nil,
        from origin: Origin
    ) async throws -> Bool {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            let ended = try await transaction.query(
                """
                DELETE FROM sessions
                WHERE team_id = \(team) AND token_hash = \(id.hash) AND sub = \(subject)
                """
            )
            guard ended.changed == 1 else { return false }
            try await AuditEvent("session.ended", by: actor, on: .user(subject), from: origin)
                .record(in: team, transaction)
            return true
        }
    }

    /// Ends all sessions of a person, except the one named, and returns how many.
    ///
    /// - Parameter right: the session in which they ask for it; nil where somebody else does.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    @discardableResult
    public func endAll(
        of subject: Subject,
        except kept: SessionID? = nil,
        in team: TeamID,
        by actor: Actor,
        with right: SessionRight? = nil,
        from origin: Origin
    ) async throws -> Int {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            let ended = try await transaction.query(Self.deletion(of: subject, except: kept, in: team))
                .changed
            guard ended > 0 else { return 0 }
            let after: JSONValue = ["count": .integer(Int64(ended))]
            try await AuditEvent("sessions.ended", by: actor, on: .user(subject), from: origin, after: after)
                .record(in: team, transaction)
            return ended
        }
    }

    static func deletion(of subject: Subject, except kept: SessionID?, in team: TeamID) -> SQL {
        """
        DELETE FROM sessions
        WHERE team_id = \(team) AND sub = \(subject) AND token_hash IS DISTINCT FROM \(kept?.hash)
        """
    }
}

extension Actor {
    /// A user acting for themselves: in the system team that is a console account.
    static func user(_ subject: Subject, of team: TeamID) -> Actor {
        team == .system ? .member(subject) : .person(subject)
    }
}
