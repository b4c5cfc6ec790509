public import Platform
public import Postgres
public import Registry

/// Revokes the upstream tokens of a team in deletion, each on its own (App Store Review Guideline 5.1.1(v)), through
/// the outbox, which retries until its deadline and records the result in a receipt either way.
public struct TeamTokenEndStore: TeamObligations {
    /// Most revocations counted.
    public static let countLimit = 10_000

    private let database: TeamDatabase
    private let revocations: UpstreamTokenRevocationStore

    public init(_ database: TeamDatabase, server: ServerContext, accounts: any UpstreamAccounts) {
        self.database = database
        revocations = UpstreamTokenRevocationStore(database, server: server, accounts: accounts)
    }

    /// Retries tokens whose revocation was refused, and those whose job was given up.
    public func begin(_ change: borrowing Change) async throws(PostgresFailure) {
        let team = change.team
        let condition: SQL = """
            (state = 'refused' OR (state = 'ending' AND NOT EXISTS (
                \(UpstreamRevocation.pending(in: team)) AND payload->>'token' = encode(token_id, 'hex')
            )))
            """
        try await change.query(
            "WITH \(UpstreamTokenEnd.parts(ofThose: condition, in: team)) SELECT FROM upstream_ended")
    }

    /// Enqueues the revocation of a batch of live tokens; skips rows locked by other transactions.
    public func continueDeletion(in team: TeamID, batch: Int) async throws(PostgresFailure) -> Int {
        let condition: SQL = """
            token_id IN (
                SELECT token_id FROM upstream_tokens WHERE team_id = \(team) AND state = 'live'
                LIMIT \(batch) FOR UPDATE SKIP LOCKED
            )
            """
        let parts = UpstreamTokenEnd.parts(ofThose: condition, in: team)
        return try await database.query("WITH \(parts) SELECT FROM upstream_ended", in: team).count
    }

    /// True once no token is live and no revocation pending; revocations without a job are then recorded as refused.
    public func conclude(_ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        let team = change.team
        let open = try await change.query(
            """
            SELECT FROM upstream_tokens WHERE team_id = \(team) AND state = 'live'
            UNION ALL (\(UpstreamRevocation.pending(in: team)))
            LIMIT 1
            """)
        guard open.isEmpty else { return false }
        try await revocations.refuseAbandoned(in: team, change.transaction)
        return true
    }

    /// Number of pending revocations, up to `countLimit`.
    public func waiting(in team: TeamID) async throws(PostgresFailure) -> Int {
        let rows = try await database.query(
            """
            SELECT count(*) FROM (\(UpstreamRevocation.pending(in: team)) LIMIT \(Self.countLimit)) AS waiting
            """, in: team)
        guard var row = rows.first else { return 0 }
        return try row.next()
    }
}
