import Audit
public import Bytes
public import Domain
public import Postgres

/// Keeps the moments before which tokens do not count any more.
///
/// One row ends a million tokens; a single person's are ended by their own rows.
public struct TokenCutoffStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Ends what was issued before `moment`; an earlier moment than the one that stands changes nothing.
    ///
    /// Announce the change of the registry afterwards.
    public func set(
        _ cutoff: TokenCutoff,
        to moment: Timestamp,
        reason: String,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) {
        let event = AuditEvent(
            "tokens.cut_off",
            by: actor,
            on: cutoff.target(in: team),
            from: origin,
            after: ["issuedBefore": .string(moment.description), "reason": .string(reason)]
        )
        let statement: SQL = """
            WITH cut AS (
                INSERT INTO token_cutoffs AS known (team_id, client_id, not_before)
                VALUES (\(team), \(cutoff.scope), \(moment))
                ON CONFLICT (team_id, client_id) DO UPDATE
                SET not_before = greatest(known.not_before, excluded.not_before)
            )
            \(event.insertion(in: team))
            """
        try await database.query(statement.locking(.team(team)), in: team)
    }

    /// The cut-offs that stand, the newest first.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [TokenCutoffRecord] {
        let rows = try await database.query(
            """
            SELECT client_id, not_before FROM token_cutoffs
            WHERE team_id = \(team) AND client_gone_at IS NULL
            ORDER BY not_before DESC, client_id
            LIMIT 100
            """,
            in: team
        )
        var records: [TokenCutoffRecord] = []
        for var row in rows {
            let scope: String = try row.next()
            let moment: Timestamp = try row.next()
            guard let cutoff = TokenCutoff(scope: scope) else { continue }
            records.append(TokenCutoffRecord(cutoff: cutoff, notBefore: moment))
        }
        return records
    }
}

extension TokenCutoff {
    fileprivate func target(in team: TeamID) -> AuditEvent.Target {
        switch self {
        case .team: AuditEvent.Target("team", team.rawValue)
        case .client(let id): AuditEvent.Target("client", id.rawValue)
        }
    }
}
