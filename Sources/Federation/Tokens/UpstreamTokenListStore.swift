import Core
import Crypto
import Directory
public import Platform
public import Postgres

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

/// End of upstream tokens, written in the statement of the change that makes them useless.
public enum UpstreamTokenEnd {
    /// Two parts of a WITH clause that enqueue the revocation of a user's live tokens.
    ///
    /// Splice them into the statement that makes the change, like those of a notification: a token leaves the state
    /// `live` once, so that it has one job, and only if the change is made.
    /// - Parameters:
    ///   - primaryAppID: the group whose tokens end; nil ends all of the user's.
    ///   - condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public static func parts(
        of subject: Subject, for primaryAppID: ClientID? = nil, in team: TeamID, when condition: SQL = ""
    ) -> SQL {
        parts(
            ofThose: """
                sub = \(subject) AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                    AND state = 'live' AND EXISTS (SELECT \(condition))
                """, in: team)
    }

    /// Two parts of a WITH clause that enqueue the revocation of the tokens that meet a condition.
    static func parts(ofThose condition: SQL, in team: TeamID) -> SQL {
        """
        upstream_ended AS (
            UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
            WHERE team_id = \(team) AND \(condition)
            RETURNING token_id
        ), upstream_jobs AS (
            \(UpstreamRevocation.insertion(in: team, for: Self.payloads))
        )
        """
    }

    private static let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended"
}

/// Stores the refresh tokens that providers issued, sealed, because each must be sent back to be revoked.
struct UpstreamTokenStore: Sendable {
    /// Interval between validations of a token: no shorter than Apple allows.
    static let validationInterval = Duration.seconds(86_400)

    private let sealer: Sealer

    init(server: ServerContext) { sealer = server.keyRing.sealer(purpose: "tokens of providers") }

    /// Refresh token as the provider issued it.
    struct New: Sendable {
        let text: String
        let provider: ProviderID
        let subject: Subject
        /// The provider's identifier of the user; nil if unknown.
        let identifier: Subject?
        let primaryAppID: ClientID
        let clientID: ClientID
        let at: Timestamp

        var id: [UInt8] { Array(SHA256.hash(text).prefix(16)) }
    }

    /// Statement that stores a token; storing the same one again changes nothing.
    ///
    /// The first validation is due at some time on the second day, so that users who sign in together are not validated
    /// together. Some insertions also delete the oldest tokens of the user and group beyond their quota: revoking
    /// any of them ends the whole authorization at the provider, so each of the others would be one more call without
    /// effect.
    ///
    /// - Parameter condition: a WHERE clause; nothing is stored when it does not hold.
    func insertion(of token: New, in team: TeamID, when condition: SQL = "") -> SQL {
        let id = token.id
        let sealed = sealer.seal(Array(token.text.utf8), context: Self.place(of: id, in: team))
        let spread = Duration.seconds(Int(id[0]) << 8 | Int(id[1])) * 86_400 / 65_536
        return """
            \(Self.isDue(id) ? trimming(before: token, in: team) : "")
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
            )
            SELECT \(team), \(id), \(token.provider), \(token.subject), \(token.identifier), \(token.primaryAppID),
                \(token.clientID), \(sealed), \(token.at), \(token.at + Self.validationInterval + spread)
            \(condition)
            ON CONFLICT DO NOTHING
            """
    }

    /// Whether storing a token trims those of its user: one in 16 does, chosen by the token's hash.
    static func isDue(_ id: [UInt8]) -> Bool { id[2] & 15 == 0 }

    /// WITH clause that deletes the oldest live tokens; those locked by other transactions stay until the next trim.
    private func trimming(before token: New, in team: TeamID) -> SQL {
        """
        WITH trimmed AS (
            DELETE FROM upstream_tokens WHERE team_id = \(team) AND token_id IN (
                SELECT token_id FROM upstream_tokens
                WHERE team_id = \(team) AND sub = \(token.subject) AND app_id = \(token.primaryAppID)
                    AND provider = \(token.provider) AND state = 'live'
                ORDER BY created_at DESC, token_id OFFSET \(Quota.upstreamTokens.count - 1) LIMIT 64
                FOR UPDATE SKIP LOCKED
            )
        )
        """
    }

    /// Text of a token; nil if the master key that sealed it is missing.
    func open(_ sealed: [UInt8], id: [UInt8], in team: TeamID) -> String? {
        sealer.open(sealed, context: Self.place(of: id, in: team)).flatMap { String(utf8: $0) }
    }

    /// Context that a sealed token is bound to.
    private static func place(of id: [UInt8], in team: TeamID) -> [String] {
        [team.rawValue, "upstream_tokens", Hex.encode(id), "token_sealed"]
    }
}

extension UpstreamTokenStore.New {
    /// Token issued for a code of a group; nil if the grant contains none.
    init?(
        _ token: UpstreamGrant.Token?, from provider: ProviderID, of subject: Subject, as identifier: Subject?,
        for primaryAppID: ClientID, at moment: Timestamp
    ) {
        guard let token else { return nil }
        text = token.text
        self.provider = provider
        self.subject = subject
        self.identifier = identifier
        self.primaryAppID = primaryAppID
        clientID = token.clientID
        at = moment
    }
}
