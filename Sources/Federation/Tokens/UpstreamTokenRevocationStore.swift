import Core
import Directory
public import Platform
public import Postgres

/// Reads upstream tokens for their revocation, and stores its result.
struct UpstreamTokenRevocationStore: Sendable {
    let database: TeamDatabase
    private let tokens: UpstreamTokenStore
    private let accounts: any UpstreamAccounts

    init(_ database: TeamDatabase, server: ServerContext, accounts: any UpstreamAccounts) {
        self.database = database
        self.accounts = accounts
        tokens = UpstreamTokenStore(server: server)
    }

    /// Finds a token by its ID if it is in one of the given states.
    func find(_ id: [UInt8], in states: [UpstreamTokenSummary.State], of team: TeamID) async throws(PostgresFailure)
        -> UpstreamToken?
    {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM upstream_tokens
            WHERE team_id = \(team) AND token_id = \(id) AND state = ANY (\(states.map(\.rawValue)))
            """, in: team)
        guard var row = rows.first else { return nil }
        return try token(id, &row, in: team)
    }

    private static let columns: SQL = "provider, sub, identifier, app_id, client_id, created_at, token_sealed"

    private func token(_ id: [UInt8], _ row: inout Row, in team: TeamID) throws(PostgresFailure) -> UpstreamToken {
        UpstreamToken(
            id: id, provider: try row.next(), subject: try row.next(), identifier: try row.next(),
            primaryAppID: try row.next(), clientID: try row.next(), createdAt: try row.next(),
            text: tokens.open(try row.next(), id: id, in: team))
    }

    /// Stores the result of a token's revocation with its receipts: the audit event and those of account deletions.
    ///
    /// A token that is revoked already is left unchanged, so that there is one receipt; a refused one may have been
    /// retried.
    func settle(
        _ token: UpstreamToken, as fate: UpstreamTokenFate, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await settle(token, as: fate, from: [.ending, .refused], because: nil, in: team, transaction)
    }

    /// Stores that the provider has ended a token itself, so that no call is needed.
    func markRevoked(
        _ token: UpstreamToken, because reason: String, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let states: [UpstreamTokenSummary.State] = [.live, .ending, .refused]
        try await settle(token, as: .revoked, from: states, because: reason, in: team, transaction)
    }

    /// Marks the tokens of a user that were created before `moment`, or not before `horizon`, as revoked.
    ///
    /// Tokens of an account that the user has unlinked are excluded: their revocation is still to be made.
    ///
    /// - Parameters:
    ///   - subject: the user, who is locked.
    ///   - primaryAppID: group of the tokens; nil for every group.
    func markAllRevoked(
        of subject: Subject, for primaryAppID: ClientID?, before moment: Timestamp, orAfter horizon: Timestamp,
        because reason: String, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let names: [Subject] = try await transaction.query(
            "SELECT identifier FROM upstream_identities WHERE team_id = \(team) AND sub = \(subject)"
        ).column()
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM upstream_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                AND state <> 'revoked' AND (created_at < \(moment) OR created_at >= \(horizon))
                AND (identifier IS NULL OR identifier = ANY (\(names.map(\.rawValue))))
            ORDER BY token_id FOR UPDATE
            """)
        for var row in rows {
            let token = try token(try row.next(), &row, in: team)
            try await markRevoked(token, because: reason, in: team, transaction)
        }
    }

    /// Marks all tokens that still await a revocation as refused, because no job works on them any more.
    func refuseAbandoned(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM upstream_tokens
            WHERE team_id = \(team) AND state = 'ending'
            ORDER BY token_id FOR UPDATE
            """)
        try await refuse(rows, as: .unreachable, in: team, transaction)
    }

    /// Gives up tokens awaiting a revocation without a job: an operator ended it, or none of its attempts finished.
    func abandon(in team: TeamID, limit: Int) async throws {
        try await database.transaction(in: team) { transaction in
            let rows = try await transaction.query(
                """
                SELECT token_id, \(Self.columns) FROM upstream_tokens
                WHERE team_id = \(team) AND state = 'ending' AND NOT EXISTS (
                    \(UpstreamRevocation.pending(in: team)) AND payload->>'token' = encode(token_id, 'hex')
                )
                ORDER BY token_id LIMIT \(limit) FOR UPDATE SKIP LOCKED
                """)
            try await refuse(rows, as: .abandoned, in: team, transaction)
        }
    }

    /// Stores the same problem for each token of `rows`.
    private func refuse(
        _ rows: Rows, as problem: UpstreamTokenProblem, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        for var row in rows {
            let token = try token(try row.next(), &row, in: team)
            let fate = UpstreamTokenFate.refused(problem)
            try await settle(token, as: fate, from: [.ending], because: nil, in: team, transaction)
        }
    }

    private func settle(
        _ token: UpstreamToken, as fate: UpstreamTokenFate, from states: [UpstreamTokenSummary.State],
        because reason: String?, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            WITH settled AS (
                UPDATE upstream_tokens SET \(fate.assignments)
                WHERE team_id = \(team) AND token_id = \(token.id) AND state = ANY (\(states.map(\.rawValue)))
                RETURNING token_id
            ), receipts AS (
                \(accounts.noting(fate, ofThose: "SELECT token_id FROM settled", in: team))
            )
            \(token.event(fate, because: reason).insertion(in: team, when: "FROM settled"))
            """)
    }
}

extension UpstreamTokenFate {
    var problem: UpstreamTokenProblem? { if case .refused(let problem) = self { problem } else { nil } }

    /// Assignments of the token's state; the sealed text of a token is deleted once it is dead.
    fileprivate var assignments: SQL {
        """
        state = \(problem == nil ? "revoked" : "refused"), settled_at = clock_timestamp(),
            problem = \(problem?.rawValue),
            problem_at = CASE WHEN \(problem != nil) THEN clock_timestamp() END,
            token_sealed = CASE WHEN \(problem == nil) THEN ''::bytea ELSE token_sealed END
        """
    }

    fileprivate var action: String {
        switch self {
        case .revoked: "upstream_token.revoked"
        case .refused: "upstream_token.not_revoked"
        case .superseded: "upstream_token.superseded"
        }
    }
}

extension UpstreamToken {
    /// Audit event that serves as the receipt.
    ///
    /// - Parameter reason: the provider's reason, if it ended the token itself.
    fileprivate func event(_ fate: UpstreamTokenFate, because reason: String?) -> AuditEvent {
        var after: [String: JSONValue] = [
            "provider": .string(provider.rawValue), "appID": .string(primaryAppID.rawValue),
            "client": .string(clientID), "token": .string(Hex.encode(id)),
        ]
        if let reason { after["because"] = .string(reason) }
        if let problem = fate.problem { after["problem"] = .string(problem.rawValue) }
        return AuditEvent(
            fate.action, by: .system(UpstreamRevocation.kind), on: AuditEvent.Target("user", subject.rawValue),
            from: .local, after: .object(after), outcome: fate.problem == nil ? .succeeded : .refused)
    }
}

// Decision whether the provider is to be called.
extension UpstreamTokenRevocationStore {
    /// Result of preparing a call.
    enum Beginning: Sendable {
        /// The call is to be made, and has been recorded.
        case begun
        /// The token is already settled.
        case settled
        /// The same provider account has signed in to the same group again, possibly as another user of the team.
        case superseded
    }

    /// Decides whether the provider is asked to revoke a token, and records the call before it is made.
    ///
    /// The provider's notification of the revocation may arrive before its answer, hence the record. Locks the users
    /// first, that of the token and the one now linked to its provider account: a sign-in that ends at this moment is
    /// seen, or waits. A closed team has no sign-ins, so the provider is called for each of its tokens.
    func begin(_ token: UpstreamToken, at now: Timestamp, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Beginning
    {
        let linkedUser = try await linkedUser(of: token, in: team, transaction)
        try await transaction.query(UserStore.lock([token.subject, linkedUser].compactMap(\.self), in: team))
        let newer = try await transaction.query(
            """
            SELECT FROM upstream_tokens
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
                AND NOT EXISTS (SELECT FROM teams WHERE team_id = \(team) AND closed_at IS NOT NULL)
            LIMIT 1
            """)
        guard newer.isEmpty else { return .superseded }
        let noted = try await transaction.query(
            """
            UPDATE upstream_tokens SET revocation_asked_at = \(now)
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """)
        return noted.changed == 1 ? .begun : .settled
    }

    /// User now linked to the token's provider account; nil if there is none, or if the account's identifier is
    /// unknown.
    private func linkedUser(of token: UpstreamToken, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Subject?
    {
        let rows = try await transaction.query(
            """
            SELECT sub FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(token.provider) AND identifier = \(token.identifier)
            """)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Condition for the tokens of the same provider account and group, which end together.
    ///
    /// An account that was unlinked, or whose user was deleted, may since have signed in as another user.
    private static func sameAuthorization(_ token: UpstreamToken, in team: TeamID) -> SQL {
        """
        team_id = \(team) AND app_id = \(token.primaryAppID) AND provider = \(token.provider)
            AND (identifier = \(token.identifier)
                OR sub = \(token.subject) AND (identifier IS NULL OR \(token.identifier) IS NULL))
        """
    }

    /// Records that the provider did not perform the revocation, so that a later notification is not taken for its
    /// echo.
    func noteUncalled(_ token: UpstreamToken, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE upstream_tokens SET revocation_asked_at = NULL
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """, in: team)
    }

    /// Makes newer tokens due for validation after an older one was revoked, because the provider may have ended them,
    /// too.
    func questionNewer(
        than token: UpstreamToken, at now: Timestamp, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE upstream_tokens SET validate_at = least(validate_at, \(now))
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
            """)
    }
}

/// Job that revokes one token at the provider that issued it.
///
/// Failed attempts are repeated over two and a half days; then the token is marked as one that cannot be revoked, and
/// the console can retry.
public struct UpstreamRevocation: JobKind {
    public static let kind = "upstream.revocation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.timeout = .seconds(60)
        return policy
    }

    /// The token's ID.
    let token: String
}

/// Counts pending revocations of teams in deletion, for operators.
public struct WaitingRevocationStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Number of pending revocations of each team, up to `TeamTokenEndStore.countLimit`.
    public func waiting(in teams: [TeamID]) async throws(PostgresFailure) -> [TeamID: Int] {
        guard !teams.isEmpty else { return [:] }
        let pending = UpstreamRevocation.pending(in: "asked.team_id" as SQL)
        let rows = try await database.query(
            """
            SELECT asked.team_id, (
                SELECT count(*) FROM (\(pending) LIMIT \(TeamTokenEndStore.countLimit)) AS waiting
            )
            FROM unnest(\(teams.map(\.rawValue))::text[]) AS asked (team_id)
            """)
        var counts: [TeamID: Int] = [:]
        for var row in rows { counts[try row.next()] = try row.next() }
        return counts
    }
}
