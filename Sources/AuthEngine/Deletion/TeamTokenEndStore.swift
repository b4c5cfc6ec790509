public import Domain
import Jobs
public import Postgres
public import Tenancy

/// Gives back what providers gave for the people of a team that goes: each token by a revocation of its own (App Store
/// Review Guideline 5.1.1(v)), through the outbox, which tries for its time and leaves a receipt either way.
public struct TeamTokenEndStore: TeamObligations {
    /// Revocations are counted up to here.
    public static let countLimit = 10_000

    private let database: TeamDatabase
    private let fates: ProviderTokenFateStore

    public init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        fates = ProviderTokenFateStore(database, context: context)
    }

    /// Tokens that could not be revoked get a last chance, and those whose job was given up.
    public func begin(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let condition: SQL = """
            (state = 'refused' OR (state = 'ending' AND NOT EXISTS (
                \(ProviderRevocation.pending(in: team)) AND payload->>'token' = encode(token_id, 'hex')
            )))
            """
        try await transaction.query(
            "WITH \(ProviderTokenEnd.parts(ofThose: condition, in: team)) SELECT FROM provider_ended"
        )
    }

    /// Takes live tokens past those that somebody else ends at this moment.
    public func pursue(in team: TeamID, batch: Int) async throws(PostgresFailure) -> Int {
        let condition: SQL = """
            token_id IN (
                SELECT token_id FROM provider_tokens WHERE team_id = \(team) AND state = 'live'
                LIMIT \(batch) FOR UPDATE SKIP LOCKED
            )
            """
        let parts = ProviderTokenEnd.parts(ofThose: condition, in: team)
        return try await database.query("WITH \(parts) SELECT FROM provider_ended", in: team).count
    }

    /// Waits for the outbox, which gives each up at last; what nobody works on any more gets its receipt.
    public func conclude(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let open = try await transaction.query(
            """
            SELECT FROM provider_tokens WHERE team_id = \(team) AND state = 'live'
            UNION ALL (\(ProviderRevocation.pending(in: team)))
            LIMIT 1
            """
        )
        guard open.isEmpty else { return false }
        try await fates.refuseAbandoned(in: team, transaction)
        return true
    }

    /// How many revocations are still to be done, up to `countLimit`.
    public func waiting(in team: TeamID) async throws(PostgresFailure) -> Int {
        let rows = try await database.query(
            """
            SELECT count(*) FROM (\(ProviderRevocation.pending(in: team)) LIMIT \(Self.countLimit)) AS waiting
            """,
            in: team
        )
        guard var row = rows.first else { return 0 }
        return try row.next()
    }
}
