public import Bytes
public import Domain
public import Postgres

/// Counters of limits, shared by all processes.
///
/// Counts are not durable: a crash of the server may lose the last moments.
public struct LimitStore: Sendable {
    /// Value of a counter in its current window.
    public struct Count: Sendable {
        let subject: LimitSubject
        public let value: Int
        /// End of the window, after which counting restarts.
        public let endsAt: Timestamp
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Adds `amount` to the counter of `subject`; the first addition in a window opens it.
    ///
    /// The count is capped far beyond any limit, so that it cannot overflow.
    public func add(_ amount: Int = 1, to subject: LimitSubject, window: Duration, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Count
    {
        let rows = try await database.query(
            Self.addition(of: amount, to: subject, window: window, in: team, at: now), in: team, durability: .relaxed)
        return try Self.count(of: subject, rows)
    }

    /// Adds one to a counter in the caller's transaction, so that a rollback undoes it.
    static func add(
        to subject: LimitSubject, window: Duration, in team: TeamID, at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Count {
        let statement = addition(of: 1, to: subject, window: window, in: team, at: now)
        return try count(of: subject, try await transaction.query(statement))
    }

    private static func addition(
        of amount: Int, to subject: LimitSubject, window: Duration, in team: TeamID, at now: Timestamp
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

    /// Largest difference between the clocks of two processes.
    private static let tolerance = Duration.seconds(60)

    /// Condition that the window of the row `known` has ended, where `excluded` opens a new one.
    ///
    /// A window that ends later than one opened now was opened by a clock that was ahead, and would count until that
    /// time.
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

    /// Time to wait until none of the limits is used up; nil if none is.
    ///
    /// Counts nothing.
    ///
    /// - Parameter window: length of the limits' windows; a row that ends later is from a clock that was ahead.
    public func wait(
        for limits: [(subject: LimitSubject, limit: Int)], window: Duration, in team: TeamID, at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let rows = try await database.query(
            """
            SELECT max(known.window_ends_at)
            FROM unnest(\(limits.map(\.subject.text)), \(limits.map { String($0.limit) })::bigint[])
                AS wanted (subject, threshold)
            JOIN limits AS known ON known.team_id = \(team) AND known.subject = wanted.subject
            WHERE known.window_ends_at > \(now) AND known.window_ends_at <= \(now + window + Self.tolerance)
                AND known.count >= wanted.threshold
            """, in: team)
        guard var row = rows.first, let end = try row.next(Timestamp?.self) else { return nil }
        return end - now
    }

    /// Reserves a turn in the queue of `subject`.
    ///
    /// Turns are `pause` apart, and unused turns of the last `window` may be taken at once. A queue is at most one day
    /// long; later requests get the turn at its end.
    ///
    /// - Returns: time of the turn.
    func turn(of subject: LimitSubject, every pause: Duration, window: Duration, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Timestamp
    {
        let (earliest, latest) = (now - window, now + .seconds(86_400))
        let rows = try await database.query(
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
            """, in: team, durability: .relaxed)
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a turn") }
        return try row.next(Timestamp.self) - pause
    }

    /// Takes back one count of each, in the window in which it was counted, because the event did not happen.
    ///
    /// After that window there is nothing to take back, because the counter contains later events only.
    public func release(_ counts: [Count], in team: TeamID) async throws(PostgresFailure) {
        guard !counts.isEmpty else { return }
        let (subjects, ends) = (counts.map(\.subject.text), counts.map(\.endsAt.precise))
        // Rows are locked in one order, so that two statements do not deadlock.
        try await database.query(
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
            """, in: team, durability: .relaxed)
    }

    /// Adds one to the counter of `subject`; returns the time to wait, or nil if the count is within `limit`.
    public func charge(_ subject: LimitSubject, limit: Int, window: Duration, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        let count = try await add(to: subject, window: window, in: team, at: now)
        return count.value > limit ? count.endsAt - now : nil
    }
}
