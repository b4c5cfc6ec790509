import Audit
import Bytes
public import Domain
import Jobs
public import Postgres

/// Lists tokens of providers, and tries those again that could not be revoked.
public struct ProviderTokenListStore: Sendable {
    /// Tokens are counted up to here.
    public static let countLimit = 1000
    /// Of one person; the newest are shown.
    private static let listLimit = 100

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// A page of the tokens that a provider does not take back, or does not say anything about, and match.
    public func page(
        in team: TeamID,
        matching filter: ProviderTokenFilter,
        after cursor: ProviderTokenPage.Cursor?,
        limit: Int
    ) async throws(PostgresFailure) -> ProviderTokenPage {
        let rows = try await database.search(
            """
            SELECT \(Self.columns) FROM provider_tokens
            WHERE team_id = \(team) AND \(filter.condition)
                AND (\(cursor?.problemAt) IS NULL OR problem_at < \(cursor?.problemAt)
                    OR (problem_at = \(cursor?.problemAt) AND token_id > \(cursor?.id.octets)))
            ORDER BY problem_at DESC, token_id
            LIMIT \(limit + 1)
            """,
            in: team
        )
        let found = try Self.read(rows)
        let tokens = Array(found.prefix(limit))
        let last = found.count > limit ? tokens.last : nil
        return ProviderTokenPage(
            tokens: tokens,
            total: try await count(in: team, matching: filter),
            next: last.flatMap { token in
                token.problemAt.map { ProviderTokenPage.Cursor(problemAt: $0, id: token.id) }
            }
        )
    }

    /// Whether a page of all of them would have any: one look into an index, and no search.
    public func hasAny(in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            "SELECT EXISTS (SELECT FROM provider_tokens WHERE team_id = \(team) AND problem IS NOT NULL)",
            in: team
        )
        return try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    /// The tokens of one person, the newest first.
    public func list(
        of subject: Subject,
        in team: TeamID
    ) async throws(PostgresFailure) -> [ProviderTokenSummary] {
        try Self.read(
            try await database.query(
                """
                SELECT \(Self.columns) FROM provider_tokens
                WHERE team_id = \(team) AND sub = \(subject)
                ORDER BY created_at DESC, token_id
                LIMIT \(Self.listLimit)
                """,
                in: team
            )
        )
    }

    /// Puts the revocation of a token that was given up into the outbox again; false when it was not.
    public func retry(
        _ id: ProviderTokenID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
        let target = AuditEvent.Target("provider_token", id.rawValue)
        let event = AuditEvent("provider_token.retried", by: actor, on: target, from: origin)
        let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM again"
        let rows = try await database.query(
            """
            WITH again AS (
                UPDATE provider_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
                WHERE team_id = \(team) AND token_id = \(id.octets) AND state = 'refused'
                RETURNING token_id
            ), receipts AS (
                UPDATE deletion_receipt_tokens AS receipt SET fate = 'pending', settled_at = NULL, problem = NULL
                FROM again
                WHERE receipt.team_id = \(team) AND receipt.provider_token_id = again.token_id
                    AND receipt.fate = 'refused'
            ), job AS (
                \(ProviderRevocation.insertion(in: team, for: payloads))
            ), audit AS (
                \(event.insertion(in: team, when: "FROM again"))
            )
            SELECT FROM again
            """,
            in: team
        )
        return !rows.isEmpty
    }

    private func count(
        in team: TeamID,
        matching filter: ProviderTokenFilter
    ) async throws(PostgresFailure) -> Int {
        let rows = try await database.search(
            """
            SELECT count(*) FROM (
                SELECT FROM provider_tokens WHERE team_id = \(team) AND \(filter.condition)
                LIMIT \(Self.countLimit + 1)
            ) AS counted
            """,
            in: team
        )
        guard var row = rows.first else { return 0 }
        return try row.next()
    }

    private static let columns: SQL = """
        encode(token_id, 'hex'), sub,
        EXISTS (SELECT FROM users WHERE users.team_id = provider_tokens.team_id AND users.sub = provider_tokens.sub),
        app_id, client_id, state, problem, problem_at, created_at, validated_at,
        settled_at
        """

    private static func read(_ rows: Rows) throws(PostgresFailure) -> [ProviderTokenSummary] {
        try rows.all(ProviderTokenSummary.init)
    }
}

extension ProviderTokenFilter {
    fileprivate var condition: SQL {
        """
        problem IS NOT NULL AND (\(state) IS NULL OR state = \(state))
            AND (\(problem?.rawValue) IS NULL OR problem = \(problem?.rawValue))
            AND (\(subject) IS NULL OR sub = \(subject))
        """
    }
}

extension ProviderTokenSummary {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        subject = try row.next()
        hasPerson = try row.next()
        group = try row.next()
        clientID = try row.next()
        state = try row.next()
        problem = try row.next(String?.self).flatMap(ProviderTokenProblem.init)
        problemAt = try row.next()
        createdAt = try row.next()
        validatedAt = try row.next()
        settledAt = try row.next()
    }
}
