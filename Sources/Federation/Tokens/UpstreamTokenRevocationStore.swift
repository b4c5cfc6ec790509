import Core
import Directory
import Platform
import Postgres

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
            SELECT \(Self.columns) FROM provider_tokens
            WHERE team_id = \(team) AND token_id = \(id) AND state = ANY (\(states.map(\.rawValue)))
            """, in: team)
        guard var row = rows.first else { return nil }
        return try token(id, &row, in: team)
    }

    private static let columns: SQL = "provider, sub, identifier, app_id, client_id, token_sealed"

    private func token(_ id: [UInt8], _ row: inout Row, in team: TeamID) throws(PostgresFailure) -> UpstreamToken {
        UpstreamToken(
            id: id, provider: try row.next(), subject: try row.next(), identifier: try row.next(),
            primaryAppID: try row.next(), clientID: try row.next(), text: tokens.open(try row.next(), id: id, in: team))
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
    /// - Parameter primaryAppID: group of the tokens; nil for every group.
    func markAllRevoked(
        of subject: Subject, for primaryAppID: ClientID?, before moment: Timestamp, orAfter horizon: Timestamp,
        because reason: String, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let names = try await names(of: subject, in: team, transaction)
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM provider_tokens
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

    /// Providers' identifiers of a user, who is locked.
    private func names(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> [Subject]
    {
        let rows = try await transaction.query(
            "SELECT identifier FROM provider_identities WHERE team_id = \(team) AND sub = \(subject)")
        var names: [Subject] = []
        for var row in rows { names.append(try row.next()) }
        return names
    }

    /// Marks all tokens that still await a revocation as refused, because no job works on them any more.
    func refuseAbandoned(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM provider_tokens
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
                SELECT token_id, \(Self.columns) FROM provider_tokens
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
                UPDATE provider_tokens SET \(fate.assignments)
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
        case .revoked: "provider_token.revoked"
        case .refused: "provider_token.not_revoked"
        case .superseded: "provider_token.superseded"
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
            "client": .string(clientID.rawValue), "token": .string(Hex.encode(id)),
        ]
        if let reason { after["because"] = .string(reason) }
        if let problem = fate.problem { after["problem"] = .string(problem.rawValue) }
        return AuditEvent(
            fate.action, by: .system(UpstreamRevocation.kind), on: AuditEvent.Target("user", subject.rawValue),
            from: .local, after: .object(after), outcome: fate.problem == nil ? .succeeded : .refused)
    }
}
