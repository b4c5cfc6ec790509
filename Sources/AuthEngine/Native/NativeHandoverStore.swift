import Audit
import Bytes
import Crypto
import Directory
import Domain
import Postgres

/// Keeps what native apps handed over, from before Apple is asked.
struct NativeHandoverStore: Sendable {
    /// How long one request has a handover for itself.
    private static let claim = Duration.seconds(20)

    private let database: TeamDatabase
    private let sealer: Sealer

    init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        sealer = context.keyRing.sealer(purpose: "handovers of native apps")
    }

    /// What a handover led to before.
    struct Settled: Sendable {
        let subject: Subject
        let tokenID: [UInt8]
        let isNewUser: Bool
        let at: Timestamp
    }

    enum Standing: Sendable {
        /// Ours to go on with.
        case claimed
        /// Another request is at work with it.
        case busy
        case settled(Settled)
    }

    /// Stores a handover, durable when this returns, or finds the same one.
    func keep(
        _ handover: NativeHandover,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Standing {
        let hash = handover.hash
        let place = [team.rawValue, "native_handovers", Hex.encode(hash), "body_sealed"]
        let sealed = sealer.seal(JSON.encode(handover), context: place)
        let rows = try await database.query(
            """
            INSERT INTO native_handovers AS known (
                team_id, body_hash, client_id, body_sealed, created_at, claimed_until
            ) VALUES (
                \(team), \(hash), \(handover.clientID), \(sealed), \(moment), \(moment + Self.claim)
            )
            ON CONFLICT (team_id, body_hash) DO UPDATE SET claimed_until = CASE
                WHEN known.settled_at IS NULL AND known.claimed_until <= \(moment)
                THEN excluded.claimed_until ELSE known.claimed_until END
            RETURNING claimed_until = \(moment + Self.claim), settled_at, sub, token_id, is_new_user
            """,
            in: team
        )
        guard var row = rows.first else { return .busy }
        let isOurs: Bool = try row.next()
        let settledAt: Timestamp? = try row.next()
        let subject: Subject? = try row.next()
        let tokenID: [UInt8]? = try row.next()
        let isNewUser: Bool? = try row.next()
        if let settledAt, let subject, let tokenID {
            return .settled(
                Settled(subject: subject, tokenID: tokenID, isNewUser: isNewUser ?? false, at: settledAt)
            )
        }
        return isOurs ? .claimed : .busy
    }

    /// Gives a handover back that may be tried again.
    func release(_ handover: NativeHandover, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            UPDATE native_handovers SET claimed_until = created_at
            WHERE team_id = \(team) AND body_hash = \(handover.hash) AND settled_at IS NULL
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
        let isNewUser: Bool
        let at: Timestamp
    }

    /// Begins a session, notes that `user` is delivered, and settles the handover, with what else belongs to it: one
    /// transaction.
    func settle(
        _ settlement: Settlement,
        with statements: [SQL],
        in team: TeamID
    ) async throws(PostgresFailure) {
        let session: SQL = """
            INSERT INTO refresh_tokens (
                team_id, token_id, secret_hash, sub, app_id, client_id, authenticated_at, provider, created_at,
                last_used_at
            ) VALUES (
                \(team), \(settlement.token.id), \(settlement.token.secretHash), \(settlement.subject),
                \(settlement.group), \(settlement.clientID), \(settlement.authenticatedAt), \(settlement.provider),
                \(settlement.at), \(settlement.at)
            )
            """
        let delivery: SQL = """
            UPDATE consents SET delivered_at = \(settlement.at)
            WHERE team_id = \(team) AND sub = \(settlement.subject) AND app_id = \(settlement.group)
                AND delivered_at IS NULL
            """
        let end: SQL = """
            UPDATE native_handovers
            SET settled_at = \(settlement.at), sub = \(settlement.subject), token_id = \(settlement.token.id),
                is_new_user = \(settlement.isNewUser)
            WHERE team_id = \(team) AND body_hash = \(settlement.handover.hash)
            """
        try await database.query(statements + [session, delivery, end], in: team)
    }

    /// The session of a settled handover under another token; nil when it has ended.
    func renew(
        _ settled: Settled,
        for handover: NativeHandover,
        to token: RefreshToken,
        in team: TeamID
    ) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            [
                """
                UPDATE native_handovers SET token_id = \(token.id)
                WHERE team_id = \(team) AND body_hash = \(handover.hash)
                """,
                """
                UPDATE refresh_tokens SET token_id = \(token.id), secret_hash = \(token.secretHash)
                WHERE team_id = \(team) AND token_id = \(settled.tokenID) AND revoked_at IS NULL
                RETURNING authenticated_at
                """,
            ],
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}
