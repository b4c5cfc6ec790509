public import Core
import Postgres

/// Seals events: adds them to the seal chain of their team.
public struct AuditSealStore: Sendable {
    /// Events sealed, verified or deleted at a time: each may have a hundred KiB, and the loop serves other work.
    public static let batch = 100

    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// Seals the oldest events without a seal, at most `batch`, and returns the new head.
    ///
    /// Returns nil when there are none, or when another process is sealing this team's events.
    ///
    /// - Throws: `PostgresFailure`.
    @discardableResult public func seal(in team: TeamID, at now: Timestamp = .now()) async throws -> AuditHead? {
        try await database.transaction(in: team) { transaction in
            try await transaction.query("INSERT INTO audit_chains (team_id) VALUES (\(team)) ON CONFLICT DO NOTHING")
            let chains = try await transaction.query(
                "SELECT position, code FROM audit_chains WHERE team_id = \(team) FOR UPDATE SKIP LOCKED")
            guard var chain = chains.first else { return nil }
            let (position, code): (Int, [UInt8]) = (try chain.next(), try chain.next())
            let head = AuditHead(team: team, position: position, code: code)
            let seals = try await seals(after: head, at: now, transaction)
            guard let last = seals.last else { return nil }
            try await insert(seals, in: team, transaction)
            try await advance(team, to: last, from: seals[0], transaction)
            return AuditHead(team: team, position: last.position, code: last.code)
        }
    }

    /// Creates seals in the order of the events' times; an event that commits late is sealed late.
    private func seals(after head: AuditHead, at now: Timestamp, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> [Seal]
    {
        let rows = try await transaction.query(
            """
            SELECT u.at, u.event_id, e.event_id IS NOT NULL, \(AuditEntry.bareColumns)
            FROM (
                SELECT at, event_id FROM audit_unsealed WHERE team_id = \(head.team)
                ORDER BY at, event_id
                LIMIT \(Self.batch)
            ) AS u
            \(AuditEntry.event(at: "u", in: head.team))
            ORDER BY u.at, u.event_id
            """)
        var seals: [Seal] = []
        var (position, code) = (head.position, head.code)
        for var row in rows {
            let place = AuditEntry.Place(at: try row.next(), id: try row.next())
            let entry = try row.next(Bool.self) ? try AuditEntry(&row) : nil
            guard
                let seal = Seal(
                    place, entry,
                    // Wraps from the last number to one that the table rejects.
                    at: position &+ 1, after: code, in: head.team, by: keys, at: now)
            else { break }
            (position, code) = (seal.position, seal.code)
            seals.append(seal)
        }
        return seals
    }

    private func insert(_ seals: [Seal], in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            WITH sealed AS (
                INSERT INTO audit_seals (team_id, position, at, event_id, sealed_at, key_id, code)
                SELECT \(team), s.position::bigint, s.at::timestamptz, s.event_id, \(seals[0].sealedAt),
                    \(keys.currentID), decode(s.code, 'hex')
                FROM unnest(
                    \(seals.map { String($0.position) }), \(seals.map(\.place.at.precise)),
                    \(seals.map(\.place.id)), \(seals.map { Hex.encode($0.code) })
                ) AS s (position, at, event_id, code)
                RETURNING at, event_id
            )
            DELETE FROM audit_unsealed u USING sealed s
            WHERE u.team_id = \(team) AND u.at = s.at AND u.event_id = s.event_id
            """)
    }

    private func advance(_ team: TeamID, to last: Seal, from first: Seal, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE audit_chains
            SET position = \(last.position), code = \(last.code), sealed_at = \(last.sealedAt),
                oldest_at = COALESCE(oldest_at, \(first.place.at))
            WHERE team_id = \(team)
            """)
    }
}

extension AuditEntry {
    /// The columns that `init` reads, from a table with the alias `e`, with nulls for names and email addresses.
    static let bareColumns: SQL = """
        e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
        e.request_id, e.before::text, e.after::text, NULL::text, NULL::text, NULL::text, NULL::text
        """

    /// Joins the event, under the alias `e`, with the time and id in a row of `table`.
    ///
    /// OFFSET 0 enforces one lookup per row, because PostgreSQL may take a batch for a tenth of the log and read all of
    /// the log for the join.
    static func event(at table: SQL, in team: TeamID) -> SQL {
        """
        LEFT JOIN LATERAL (
            SELECT * FROM audit_events
            WHERE team_id = \(team) AND at = \(table).at AND event_id = \(table).event_id
            OFFSET 0
        ) AS e ON true
        """
    }
}
