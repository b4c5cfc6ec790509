import Audit
import Bytes
import Directory
import Domain
import Jobs
import Postgres

/// Reads tokens of providers as they are sent back, and writes what became of them.
struct ProviderTokenFateStore: Sendable {
    let database: TeamDatabase
    private let tokens: ProviderTokenStore

    init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        tokens = ProviderTokenStore(context: context)
    }

    /// What is settled about a token.
    enum Fate: Equatable, Sendable {
        case revoked
        case refused(ProviderTokenProblem)
        /// Nobody called: the person has come again, and the newer token ends the authorization when its time comes.
        case superseded
    }

    /// The token of that id, while it is in one of these states.
    func find(
        _ id: [UInt8],
        in states: [ProviderTokenSummary.State],
        of team: TeamID
    ) async throws(PostgresFailure) -> ProviderToken? {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM provider_tokens
            WHERE team_id = \(team) AND token_id = \(id) AND state = ANY (\(states.map(\.rawValue)))
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try token(id, &row, in: team)
    }

    private static let columns: SQL = "provider, sub, identifier, app_id, client_id, token_sealed"

    private func token(
        _ id: [UInt8],
        _ row: inout Row,
        in team: TeamID
    ) throws(PostgresFailure) -> ProviderToken {
        ProviderToken(
            id: id,
            provider: try row.next(),
            subject: try row.next(),
            identifier: try row.next(),
            group: try row.next(),
            clientID: try row.next(),
            text: tokens.open(try row.next(), id: id, in: team)
        )
    }

    /// Writes what became of a token that was to be revoked, with its receipts: the audit log's, and those of deletions.
    ///
    /// One that is revoked already is left alone, so that there is one receipt; one that was refused may have been tried
    /// again.
    func settle(
        _ token: ProviderToken,
        as fate: Fate,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await settle(token, as: fate, from: [.ending, .refused], because: nil, in: team, transaction)
    }

    /// Writes that the provider has ended a token by itself: nobody has to call.
    func bury(
        _ token: ProviderToken,
        because reason: String,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let states: [ProviderTokenSummary.State] = [.live, .ending, .refused]
        try await settle(token, as: .revoked, from: states, because: reason, in: team, transaction)
    }

    /// The same of all tokens of a person that are as old; nil means those of every group.
    ///
    /// Not of an account that they have disconnected: its revocation is still to be made.
    func buryAll(
        of subject: Subject,
        for group: ClientID?,
        before moment: Timestamp,
        orAfter horizon: Timestamp,
        because reason: String,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let names = try await names(of: subject, in: team, transaction)
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM provider_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND (\(group) IS NULL OR app_id = \(group))
                AND state <> 'revoked' AND (created_at < \(moment) OR created_at >= \(horizon))
                AND (identifier IS NULL OR identifier = ANY (\(names.map(\.rawValue))))
            ORDER BY token_id FOR UPDATE
            """
        )
        for var row in rows {
            let token = try token(try row.next(), &row, in: team)
            try await bury(token, because: reason, in: team, transaction)
        }
    }

    /// What providers call the person, who is locked.
    private func names(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> [Subject] {
        let rows = try await transaction.query(
            "SELECT identifier FROM provider_identities WHERE team_id = \(team) AND sub = \(subject)"
        )
        var names: [Subject] = []
        for var row in rows { names.append(try row.next()) }
        return names
    }

    /// Writes that the tokens whose revocation nobody works on any more cannot be revoked.
    func refuseAbandoned(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT token_id, \(Self.columns) FROM provider_tokens
            WHERE team_id = \(team) AND state = 'ending'
            ORDER BY token_id FOR UPDATE
            """
        )
        try await refuse(rows, as: .unreachable, in: team, transaction)
    }

    /// Gives up tokens that wait for a revocation which is in no outbox any more: an operator ended its job, or no attempt
    /// at it came to its end.
    func abandon(in team: TeamID, limit: Int) async throws {
        try await database.transaction(in: team) { transaction in
            let rows = try await transaction.query(
                """
                SELECT token_id, \(Self.columns) FROM provider_tokens
                WHERE team_id = \(team) AND state = 'ending' AND NOT EXISTS (
                    \(ProviderRevocation.pending(in: team)) AND payload->>'token' = encode(token_id, 'hex')
                )
                ORDER BY token_id LIMIT \(limit) FOR UPDATE SKIP LOCKED
                """
            )
            try await refuse(rows, as: .abandoned, in: team, transaction)
        }
    }

    /// Writes the same of each token of `rows`.
    private func refuse(
        _ rows: Rows,
        as problem: ProviderTokenProblem,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        for var row in rows {
            let token = try token(try row.next(), &row, in: team)
            let fate = Fate.refused(problem)
            try await settle(token, as: fate, from: [.ending], because: nil, in: team, transaction)
        }
    }

    private func settle(
        _ token: ProviderToken,
        as fate: Fate,
        from states: [ProviderTokenSummary.State],
        because reason: String?,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            WITH settled AS (
                UPDATE provider_tokens SET \(fate.assignments)
                WHERE team_id = \(team) AND token_id = \(token.id) AND state = ANY (\(states.map(\.rawValue)))
                RETURNING token_id
            ), receipts AS (
                UPDATE deletion_receipt_tokens AS receipt
                SET fate = \(fate.receipt.fate), settled_at = clock_timestamp(), problem = \(fate.receipt.problem)
                FROM settled
                WHERE receipt.team_id = \(team) AND receipt.provider_token_id = settled.token_id
                    AND receipt.fate <> 'revoked'
            )
            \(token.event(fate, because: reason).insertion(in: team, when: "FROM settled"))
            """
        )
    }
}

extension ProviderTokenFateStore.Fate {
    var problem: ProviderTokenProblem? {
        if case .refused(let problem) = self { problem } else { nil }
    }

    /// The state of a token: a dead one is kept no longer than it is good for something.
    fileprivate var assignments: SQL {
        """
        state = \(problem == nil ? "revoked" : "refused"), settled_at = clock_timestamp(),
            problem = \(problem?.rawValue),
            problem_at = CASE WHEN \(problem != nil) THEN clock_timestamp() END,
            token_sealed = CASE WHEN \(problem == nil) THEN ''::bytea ELSE token_sealed END
        """
    }

    /// How a receipt spells it.
    fileprivate var receipt: (fate: String, problem: String?) {
        switch self {
        case .revoked: ("revoked", nil)
        case .refused(let problem): ("refused", problem.rawValue)
        case .superseded: DeletionReceipt.Token.supersession
        }
    }

    fileprivate var action: String {
        switch self {
        case .revoked: "provider_token.revoked"
        case .refused: "provider_token.not_revoked"
        case .superseded: "provider_token.superseded"
        }
    }
}

extension ProviderToken {
    /// The receipt.
    ///
    /// - Parameter reason: how the provider ended it by itself.
    fileprivate func event(_ fate: ProviderTokenFateStore.Fate, because reason: String?) -> AuditEvent {
        var after: [String: JSONValue] = [
            "provider": .string(provider.rawValue), "appID": .string(group.rawValue),
            "client": .string(clientID.rawValue), "token": .string(Hex.encode(id)),
        ]
        if let reason { after["because"] = .string(reason) }
        if let problem = fate.problem { after["problem"] = .string(problem.rawValue) }
        return AuditEvent(
            fate.action,
            by: .system(ProviderRevocation.kind),
            on: AuditEvent.Target("user", subject.rawValue),
            from: .local,
            after: .object(after),
            outcome: fate.problem == nil ? .succeeded : .refused
        )
    }
}
