public import Bytes
public import Domain
public import Postgres

/// Counts what may not happen too often, for all processes together.
///
/// A crash of the server may forget the last moments.
public struct LimitStore: Sendable {
    /// How often something has happened.
    public struct Count: Sendable {
        let subject: LimitSubject
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
            Self.addition(of: amount, to: subject, window: window, in: team, at: now),
            in: team
        )
        return try Self.count(of: subject, rows)
    }

    /// The same within a transaction: what is rolled back has not happened.
    static func add(
        to subject: LimitSubject,
        window: Duration,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Count {
        let statement = addition(of: 1, to: subject, window: window, in: team, at: now)
        return try count(of: subject, try await transaction.query(statement))
    }

    private static func addition(
        of amount: Int,
        to subject: LimitSubject,
        window: Duration,
        in team: TeamID,
        at now: Timestamp
    ) -> SQL {
        """
        INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
        VALUES (\(team), \(subject.text), \(now + window), \(min(amount, 1_000_000)))
        ON CONFLICT (team_id, subject) DO UPDATE SET
            count = CASE
                WHEN \(isOver(at: now)) THEN excluded.count
                ELSE LEAST(known.count, 1000000000) + excluded.count
            END,
            window_ends_at = CASE
                WHEN \(isOver(at: now)) THEN excluded.window_ends_at
                ELSE known.window_ends_at
            END
        RETURNING count, window_ends_at
        """
    }

    /// By how much the clocks of two processes may differ.
    private static let tolerance = Duration.seconds(60)

    /// Whether the row `known` counts no more, where `excluded` opens a new window.
    ///
    /// A window that ends later than one that opens now was opened by a clock that was ahead, and would count until that
    /// time has come.
    static func isOver(at now: Timestamp) -> SQL {
        """
        (known.window_ends_at <= \(now)
            OR known.window_ends_at > excluded.window_ends_at + \(Int(tolerance.components.seconds)) * interval '1 second')
        """
    }

    private static func count(of subject: LimitSubject, _ rows: Rows) throws(PostgresFailure) -> Count {
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a count") }
        return Count(subject: subject, value: try row.next(), endsAt: try row.next())
    }

    /// How long to wait until none of the limits is used up; nil when none is.
    ///
    /// It counts nothing.
    ///
    /// - Parameter window: theirs; a row that ends later is from a clock that was ahead.
    public func wait(
        for limits: [(subject: LimitSubject, limit: Int)],
        window: Duration,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let rows = try await database.query(
            """
            SELECT max(known.window_ends_at)
            FROM unnest(\(limits.map(\.subject.text)), \(limits.map { String($0.limit) })::bigint[])
                AS wanted (subject, threshold)
            JOIN limits AS known ON known.team_id = \(team) AND known.subject = wanted.subject
            WHERE known.window_ends_at > \(now) AND known.window_ends_at <= \(now + window + Self.tolerance)
                AND known.count >= wanted.threshold
            """,
            in: team
        )
        guard var row = rows.first, let end = try row.next(Timestamp?.self) else { return nil }
        return end - now
    }

    /// Gives out a turn in the line of `subject`.
    ///
    /// Turns are a `pause` apart, and those of a `window` in which nobody came may be had at once. A line is a day long at most;
    /// who comes later goes with its end.
    ///
    /// - Returns: when the turn is.
    func turn(
        of subject: LimitSubject,
        every pause: Duration,
        window: Duration,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Timestamp {
        let (earliest, latest) = (now - window, now + .seconds(86_400))
        let rows = try await database.queryRelaxed(
            """
            INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
            VALUES (\(team), \(subject.text), \(earliest + pause), 1)
            ON CONFLICT (team_id, subject) DO UPDATE SET
                window_ends_at = LEAST(
                    GREATEST(known.window_ends_at, \(earliest))
                        + \(Int(pause.microseconds)) * interval '1 microsecond',
                    \(latest)
                )
            RETURNING window_ends_at
            """,
            in: team
        )
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a turn") }
        return try row.next(Timestamp.self) - pause
    }

    /// Takes back one of each that has not happened after all, of the very window in which it was counted.
    ///
    /// Once that is over there is nothing to take back: what counts now has happened since.
    public func refund(_ counts: [Count], in team: TeamID) async throws(PostgresFailure) {
        guard !counts.isEmpty else { return }
        let (subjects, ends) = (counts.map(\.subject.text), counts.map(\.endsAt.precise))
        // Two that lock the same rows lock them in one order.
        try await database.queryRelaxed(
            """
            UPDATE limits SET count = GREATEST(count - 1, 0)
            FROM (
                SELECT subject FROM limits
                WHERE team_id = \(team) AND subject = ANY (\(subjects)) AND (subject, window_ends_at) IN (
                    SELECT name, ends_at
                    FROM unnest(\(subjects), \(ends)::timestamptz[]) AS counted (name, ends_at)
                )
                ORDER BY subject FOR NO KEY UPDATE
            ) AS counted
            WHERE limits.team_id = \(team) AND limits.subject = counted.subject
            """,
            in: team
        )
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
