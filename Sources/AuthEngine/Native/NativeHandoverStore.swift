import Bytes
import Directory
import Domain
import Postgres

/// Keeps that native apps handed something over, from before Apple is asked: by its hash alone.
///
/// The body stays the app's until it has its answer; a name in it is kept by whom it announces (`ProviderAnnouncement`).
struct NativeHandoverStore: Sendable {
    private let database: TeamDatabase
    /// How long one request has a handover for itself.
    private let claim: Duration

    /// - Parameter patience: how long what is asked of the provider may take.
    init(_ database: TeamDatabase, patience: Duration) {
        self.database = database
        claim = ProviderTripStore.claim(for: patience)
    }

    /// What a handover led to before.
    struct Settled: Sendable {
        let subject: Subject
        let isNewUser: Bool
        let at: Timestamp
    }

    enum Standing: Sendable {
        /// Ours to go on with, until then.
        case claimed(until: Timestamp)
        /// Another request is at work with it.
        case busy
        case settled(Settled)
    }

    /// Whoever sends the same again and again has one of them at the database.
    private func row(of handover: NativeHandover, in team: TeamID) -> LockedRow {
        LockedRow("native_handovers", team.rawValue, Hex.encode(handover.hash))
    }

    /// Stores that a handover came, durable when this returns, or finds the same one.
    func keep(
        _ handover: NativeHandover,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Standing {
        let end = moment + claim
        let keeping: SQL = """
            INSERT INTO native_handovers AS known (
                team_id, body_hash, client_id, created_at, claimed_until
            ) VALUES (
                \(team), \(handover.hash), \(handover.clientID), \(moment), \(end)
            )
            ON CONFLICT (team_id, body_hash) DO UPDATE SET claimed_until = CASE
                WHEN known.settled_at IS NULL AND known.claimed_until <= \(moment)
                THEN excluded.claimed_until ELSE known.claimed_until END
            RETURNING claimed_until = \(end), settled_at, sub, is_new_user
            """
        let rows = try await database.query(keeping.locking(row(of: handover, in: team)), in: team)
        guard var row = rows.first else { return .busy }
        let isOurs: Bool = try row.next()
        let settledAt: Timestamp? = try row.next()
        let subject: Subject? = try row.next()
        let isNewUser: Bool? = try row.next()
        if let settledAt, let subject {
            return .settled(Settled(subject: subject, isNewUser: isNewUser ?? false, at: settledAt))
        }
        return isOurs ? .claimed(until: end) : .busy
    }

    /// Gives a handover back that may be tried again.
    func release(
        _ handover: NativeHandover,
        claimedUntil end: Timestamp,
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            UPDATE native_handovers SET claimed_until = created_at
            WHERE team_id = \(team) AND body_hash = \(handover.hash) AND settled_at IS NULL
                AND claimed_until = \(end)
            """,
            in: team
        )
    }

    /// Forgets a handover that leads nowhere, however often it is tried.
    func forget(
        _ handover: NativeHandover,
        claimedUntil end: Timestamp,
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            DELETE FROM native_handovers
            WHERE team_id = \(team) AND body_hash = \(handover.hash) AND settled_at IS NULL
                AND claimed_until = \(end)
            """,
            in: team
        )
    }

    /// What a handover leads to.
    struct Settlement: Sendable {
        let handover: NativeHandover
        let token: RefreshToken
        let subject: Subject
        let group: ClientID
        let clientID: ClientID
        let authenticatedAt: Timestamp
        let provider: ProviderID
        /// That the person may still come that way.
        let standing: ProviderStanding
        let isNewUser: Bool
        let at: Timestamp
    }

    /// Begins a session, notes that `user` is delivered, and settles the handover, with what else belongs to it: one
    /// transaction.
    ///
    /// - Parameters:
    ///   - others: run before, such as what stores the provider's token.
    ///   - completion: parts of a WITH clause, written where `FROM session` yields a row.
    /// - Returns: false, with no session begun, when the person has parted from the account meanwhile.
    func settle(
        _ settlement: Settlement,
        with others: [SQL],
        completion: SQL,
        in team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let session: SQL = """
            INSERT INTO refresh_tokens (
                team_id, token_id, secret_hash, sub, app_id, client_id, authenticated_at, provider, created_at,
                last_used_at
            )
            SELECT \(team), \(settlement.token.id), \(settlement.token.secretHash), \(settlement.subject),
                \(settlement.group), \(settlement.clientID), \(settlement.authenticatedAt), \(settlement.provider),
                \(settlement.at), \(settlement.at)
            WHERE EXISTS (\(settlement.standing.row(in: team)))
            RETURNING sub
            """
        let delivery: SQL = """
            UPDATE consents SET delivered_at = \(settlement.at)
            WHERE team_id = \(team) AND sub = \(settlement.subject) AND app_id = \(settlement.group)
                AND delivered_at IS NULL AND EXISTS (SELECT FROM session)
            """
        let end: SQL = """
            UPDATE native_handovers
            SET settled_at = \(settlement.at), sub = \(settlement.subject), token_id = \(settlement.token.id),
                is_new_user = \(settlement.isNewUser)
            WHERE team_id = \(team) AND body_hash = \(settlement.handover.hash) AND EXISTS (SELECT FROM session)
            """
        let last: SQL = """
            WITH session AS (\(session)), delivery AS (\(delivery)), settled AS (\(end)), \(completion)
            SELECT FROM session
            """
        let statements = [settlement.standing.lock(in: team)] + others + [last]
        return try await !database.query(statements, in: team).isEmpty
    }

    /// The session of a settled handover under another token; nil when it has ended, or its person is suspended.
    ///
    /// Repeats at the same time take their turn: each finds the token that the one before it has given the session, and the
    /// last one's is good.
    func renew(
        _ handover: NativeHandover,
        to token: RefreshToken,
        in team: TeamID
    ) async throws(PostgresFailure) -> Timestamp? {
        let lock: SQL = """
            SELECT FROM native_handovers
            WHERE team_id = \(team) AND body_hash = \(handover.hash) FOR UPDATE
            """
        let rows = try await database.query(
            [
                lock.locking(row(of: handover, in: team)),
                """
                WITH session AS (
                    UPDATE refresh_tokens AS session SET token_id = \(token.id), secret_hash = \(token.secretHash)
                    FROM native_handovers AS handover
                    WHERE handover.team_id = \(team) AND handover.body_hash = \(handover.hash)
                        AND session.team_id = \(team) AND session.token_id = handover.token_id
                        AND session.revoked_at IS NULL AND EXISTS (
                            SELECT FROM users AS person
                            WHERE person.team_id = \(team) AND person.sub = session.sub
                                AND person.suspended_at IS NULL
                        )
                    RETURNING session.authenticated_at
                ), moved AS (
                    UPDATE native_handovers SET token_id = \(token.id) FROM session
                    WHERE team_id = \(team) AND body_hash = \(handover.hash)
                )
                SELECT authenticated_at FROM session
                """,
            ],
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}
