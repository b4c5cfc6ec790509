public import Core
public import Postgres

extension TeamDatabase {
    /// Counts uses of limits, in one statement for all of them, or none where this process has the count.
    ///
    /// Counts are not durable: a crash of the database server may lose the last moments.
    ///
    /// - Throws: `TooManyRequests` for the first limit that is exceeded, `PostgresFailure`.
    public func count(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws {
        let due = try limits.add(uses, in: team, at: now)
        guard !due.isEmpty else { return }
        let counts: [String: (count: Int, endsAt: Timestamp)]
        do throws(PostgresFailure) { counts = try await add(due, in: team, at: now) } catch {
            for use in due { try limits.learn(nil, of: use, in: team, at: now) }
            throw error
        }
        var refused: (row: String, error: TooManyRequests)?
        for use in due {
            do throws(TooManyRequests) { try limits.learn(counts[use.row], of: use, in: team, at: now) } catch {
                refused = refused ?? (use.row, error)
            }
        }
        guard let refused else { return }
        // A request that is refused for one key uses up nothing of the others: a network locks no account.
        try await release(uses.filter { $0.row != refused.row }, in: team, at: now)
        throw refused.error
    }

    /// Counts uses of limits; false if one of them is exceeded.
    ///
    /// - Throws: `PostgresFailure`.
    public func isWithin(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws -> Bool {
        do {
            try await count(uses, in: team, at: now)
            return true
        } catch is TooManyRequests { return false }
    }

    /// Takes back uses that were counted, such as a proof that was right, in the window in which they were counted.
    ///
    /// - Parameter now: when they were counted.
    public func release(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        let due = limits.remove(uses, in: team, at: now)
        guard !due.isEmpty else { return }
        // Rows are locked in one order, so that two statements do not deadlock.
        try await query(
            """
            UPDATE limits SET count = GREATEST(limits.count - released.amount, 0)
            FROM (
                SELECT known.subject, given.amount
                FROM limits AS known
                JOIN unnest(
                    \(due.map(\.row)), \(due.map { String($0.amount) })::integer[],
                    \(due.map { $0.limit.latestEnd(at: now).precise })::timestamptz[]
                ) AS given (subject, amount, latest) ON known.subject = given.subject
                WHERE known.team_id = \(team) AND known.window_ends_at > \(now)
                    AND known.window_ends_at <= given.latest
                ORDER BY known.subject FOR NO KEY UPDATE OF known
            ) AS released
            WHERE limits.team_id = \(team) AND limits.subject = released.subject
            """, in: team, durability: .relaxed)
    }

    /// Adds to the counts in the database, and returns them by their rows.
    private func add(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> [String: (count: Int, endsAt: Timestamp)]
    {
        var counts: [String: (count: Int, endsAt: Timestamp)] = [:]
        for var row in try await query(Self.addition(of: uses, in: team, at: now), in: team, durability: .relaxed) {
            counts[try row.next(String.self)] = (try row.next(), try row.next())
        }
        return counts
    }

    /// The first use in a window opens it.
    ///
    /// A window that ends much later than one opened now was opened by a clock that was ahead, and is opened anew.
    private static func addition(of uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> SQL {
        let isOver: SQL = """
            (known.window_ends_at <= \(now) OR known.window_ends_at > excluded.window_ends_at + interval '1 minute')
            """
        return """
            INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
            SELECT \(team), subject, ends_at, amount
            FROM unnest(
                \(uses.map(\.row)), \(uses.map { (now + $0.limit.window).precise })::timestamptz[],
                \(uses.map { String($0.amount) })::integer[]
            ) AS given (subject, ends_at, amount)
            ORDER BY subject
            ON CONFLICT (team_id, subject) DO UPDATE SET
                count = CASE WHEN \(isOver) THEN excluded.count
                    ELSE LEAST(known.count, \(RateLimit.Use.most)) + excluded.count END,
                window_ends_at = CASE WHEN \(isOver) THEN excluded.window_ends_at ELSE known.window_ends_at END
            RETURNING subject, count, window_ends_at
            """
    }
}
