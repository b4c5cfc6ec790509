public import Platform
public import Postgres

/// Lists upstream tokens, and retries revocations that were refused.
public struct UpstreamTokenListStore: Sendable {
    /// Maximum number of tokens listed for one user, newest first.
    private static let listLimit = 100

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Page of the matching tokens with a problem: those that cannot be revoked or validated.
    public func page(in team: TeamID, matching filter: UpstreamTokenFilter, after cursor: ListCursor?, limit: Int)
        async throws(PostgresFailure) -> Page<UpstreamTokenSummary>
    {
        let last = cursor.flatMap { UpstreamTokenID(rawValue: $0.id) }
        let rows = try await database.search(
            """
            SELECT \(Self.columns) FROM upstream_tokens
            WHERE team_id = \(team) AND \(filter.condition)
                AND (\(cursor?.at) IS NULL OR problem_at < \(cursor?.at)
                    OR (problem_at = \(cursor?.at) AND token_id > \(last?.octets)))
            ORDER BY problem_at DESC, token_id
            LIMIT \(limit + 1)
            """, in: team)
        let total = try await count(in: team, matching: filter)
        return Page(try rows.all(UpstreamTokenSummary.init), limit: limit, total: total) {
            ListCursor($0.problemAt ?? $0.createdAt, $0.id.rawValue)
        }
    }

    /// Whether an unfiltered page would have tokens; one index lookup instead of a search.
    public func hasAny(in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            "SELECT EXISTS (SELECT FROM upstream_tokens WHERE team_id = \(team) AND problem IS NOT NULL)", in: team)
        return try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    /// Tokens of one user, newest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [UpstreamTokenSummary] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM upstream_tokens
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY created_at DESC, token_id
            LIMIT \(Self.listLimit)
            """, in: team)
        return try rows.all(UpstreamTokenSummary.init)
    }

    /// Enqueues the revocation of a refused token again; false if the token is not refused.
    public func retry(
        _ id: UpstreamTokenID, in team: TeamID, by actor: Actor, from origin: Origin,
        noting accounts: any UpstreamAccounts
    ) async throws(PostgresFailure) -> Bool {
        let target = AuditEvent.Target("upstream_token", id.rawValue)
        let event = AuditEvent("upstream_token.retried", by: actor, on: target, from: origin)
        let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM again"
        let rows = try await database.query(
            """
            WITH again AS (
                UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
                WHERE team_id = \(team) AND token_id = \(id.octets) AND state = 'refused'
                RETURNING token_id
            ), receipts AS (
                \(accounts.noting(nil, ofThose: "SELECT token_id FROM again", in: team))
            ), job AS (
                \(UpstreamRevocation.insertion(in: team, for: payloads))
            ), audit AS (
                \(event.insertion(in: team, when: "FROM again"))
            )
            SELECT FROM again
            """, in: team)
        return !rows.isEmpty
    }

    private func count(in team: TeamID, matching filter: UpstreamTokenFilter) async throws(PostgresFailure) -> Int {
        let rows = try await database.search(
            """
            SELECT count(*) FROM (
                SELECT FROM upstream_tokens WHERE team_id = \(team) AND \(filter.condition)
                LIMIT \(Page<UpstreamTokenSummary>.countLimit + 1)
            ) AS counted
            """, in: team)
        guard var row = rows.first else { return 0 }
        return try row.next()
    }

    private static let columns: SQL = """
        encode(token_id, 'hex'), sub,
        EXISTS (SELECT FROM users WHERE users.team_id = upstream_tokens.team_id AND users.sub = upstream_tokens.sub),
        app_id, client_id, state, problem, problem_at, created_at, validated_at,
        settled_at
        """
}

/// Filter for upstream tokens with a problem; nil matches any value.
public struct UpstreamTokenFilter: Sendable {
    public var state: UpstreamTokenSummary.State?
    public var problem: UpstreamTokenProblem?
    public var subject: Subject?

    public init(state: UpstreamTokenSummary.State? = nil, problem: UpstreamTokenProblem? = nil, subject: Subject? = nil)
    {
        self.state = state
        self.problem = problem
        self.subject = subject
    }
}

extension UpstreamTokenFilter {
    fileprivate var condition: SQL {
        """
        problem IS NOT NULL AND (\(state) IS NULL OR state = \(state))
            AND (\(problem?.rawValue) IS NULL OR problem = \(problem?.rawValue))
            AND (\(subject) IS NULL OR sub = \(subject))
        """
    }
}

extension UpstreamTokenSummary {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        subject = try row.next()
        hasPerson = try row.next()
        primaryAppID = try row.next()
        clientID = try row.next()
        state = try row.next()
        problem = try row.next(String?.self).flatMap(UpstreamTokenProblem.init)
        problemAt = try row.next()
        createdAt = try row.next()
        validatedAt = try row.next()
        settledAt = try row.next()
    }
}
