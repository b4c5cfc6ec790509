public import Bytes
public import Domain
public import Postgres

/// Counts what may not happen too often, for all processes together.
///
/// A crash of the server may forget the last moments.
public struct LimitStore: Sendable {
    /// How often something has happened.
    public struct Count: Sendable {
        public let value: Int
        /// When counting begins anew.
        public let endsAt: Timestamp
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Counts `amount` more of `subject`; the first of a window opens it.
    ///
    /// The count stops far beyond any limit, where it cannot overflow.
    public func add(
        _ amount: Int = 1,
        to subject: LimitSubject,
        window: Duration,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Count {
        let rows = try await database.queryRelaxed(
            """
            INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
            VALUES (\(team), \(subject.text), \(now + window), \(min(amount, 1_000_000)))
            ON CONFLICT (team_id, subject) DO UPDATE SET
                count = CASE
                    WHEN known.window_ends_at <= \(now) THEN excluded.count
                    ELSE LEAST(known.count, 1000000000) + excluded.count
                END,
                window_ends_at = CASE
                    WHEN known.window_ends_at <= \(now) THEN excluded.window_ends_at
                    ELSE known.window_ends_at
                END
            RETURNING count, window_ends_at
            """,
            in: team
        )
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a count") }
        return Count(value: try row.next(), endsAt: try row.next())
    }

    /// How long to wait until none of the limits is used up; nil when none is.
    ///
    /// It counts nothing.
    public func wait(
        for limits: [(subject: LimitSubject, limit: Int)],
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let rows = try await database.query(
            """
            SELECT max(known.window_ends_at)
            FROM unnest(\(limits.map(\.subject.text)), \(limits.map { String($0.limit) })::bigint[])
                AS wanted (subject, threshold)
            JOIN limits AS known ON known.team_id = \(team) AND known.subject = wanted.subject
            WHERE known.window_ends_at > \(now) AND known.count >= wanted.threshold
            """,
            in: team
        )
        guard var row = rows.first, let end = try row.next(Timestamp?.self) else { return nil }
        return end - now
    }

    /// Counts one more of `subject` and tells how long to wait, or nil when it is within `limit`.
    public func charge(
        _ subject: LimitSubject,
        limit: Int,
        window: Duration,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let count = try await add(to: subject, window: window, in: team, at: now)
        return count.value > limit ? count.endsAt - now : nil
    }
}
