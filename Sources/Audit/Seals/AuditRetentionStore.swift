public import Bytes
public import Domain
import Postgres

/// Deletes what a team no longer keeps of its log.
public struct AuditRetentionStore: Sendable {
    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// Deletes the events that are older than the team keeps them, behind a signed checkpoint, and returns how many.
    ///
    /// Only events with a seal go, in the order of their positions, a few hundred in a transaction.
    ///
    /// - Throws: `PostgresFailure`.
    @discardableResult
    public func shorten(in team: TeamID, at now: Timestamp = .now()) async throws -> Int {
        var total = 0
        var removed = 0
        repeat {
            removed = try await database.transaction(in: team) { transaction in
                try await shortenOnce(team, at: now, transaction)
            }
            total += removed
        } while removed == AuditSealStore.batch
        if total > 0 {
            let event = AuditEvent(
                "audit_log.shortened",
                by: .system("retention"),
                on: .auditLog(team),
                from: .local,
                after: ["events": .integer(Int64(total))]
            )
            try await database.query(event.insertion(in: team), in: team)
        }
        return total
    }

    /// The chain stays locked meanwhile, so that nobody else shortens it.
    private func shortenOnce(
        _ team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Int {
        let chain = try await transaction.query(
            "SELECT FROM audit_chains WHERE team_id = \(team) FOR UPDATE SKIP LOCKED"
        )
        guard !chain.isEmpty, let checkpoint = try await checkpoint(team, at: now, transaction),
            let signature = keys.code(of: SealContent(checkpoint, in: team), by: keys.currentID)
        else { return 0 }
        try await transaction.query(
            """
            INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
            VALUES (
                \(team), \(checkpoint.position), \(checkpoint.code), \(checkpoint.latestAt), \(checkpoint.madeAt),
                \(keys.currentID), \(signature)
            )
            ON CONFLICT (team_id) DO UPDATE
            SET position = excluded.position, code = excluded.code, latest_at = excluded.latest_at,
                made_at = excluded.made_at, key_id = excluded.key_id, signature = excluded.signature
            """
        )
        let removed = try await transaction.query("SELECT pippin_shorten_audit(\(checkpoint.position))")
        guard var row = removed.first else { return 0 }
        return try row.next()
    }

    /// Behind the oldest seals whose events are all too old, or nil when the first is not.
    private func checkpoint(
        _ team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Checkpoint? {
        let rows = try await transaction.query(
            """
            SELECT s.position, s.code, s.at, s.at < now() - make_interval(days => t.audit_retention_days), p.latest_at
            FROM teams t
            JOIN audit_seals s ON s.team_id = t.team_id
            LEFT JOIN audit_checkpoints p ON p.team_id = t.team_id
            WHERE t.team_id = \(team)
            ORDER BY s.position
            LIMIT \(AuditSealStore.batch)
            """
        )
        var found: Checkpoint?
        for var row in rows {
            let (position, code): (Int, [UInt8]) = (try row.next(), try row.next())
            let (at, isOld): (Timestamp, Bool) = (try row.next(), try row.next())
            guard isOld else { break }
            let former = try row.next(Timestamp?.self) ?? at
            let latestAt = max(found?.latestAt ?? former, at)
            found = Checkpoint(position: position, code: code, latestAt: latestAt, madeAt: now)
        }
        return found
    }
}
