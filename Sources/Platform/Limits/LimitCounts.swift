public import Core
public import Postgres
import Synchronization

/// The counts of one process, in front of those in the database.
///
/// A process adds its count to the shared one after each thirty-second of a limit, so that a key with few uses costs no
/// statement; two processes exceed a limit together by no more than a sixteenth. A limit below 64 is exact. What is
/// known to be used up is refused here; an exact limit is always asked in the database, because its counts are taken back.
public final class LimitCounts: Sendable {
    private struct Counter: Hashable {
        let team: TeamID
        let limit: RateLimit
        let key: LimitKey
    }

    private struct Tally {
        var endsAt: Timestamp
        /// Count of all processes, as far as this process knows.
        var total = 0
        /// Part of `total` that is not in the database yet.
        var pending = 0
        /// Part that is on its way there.
        var underWay = 0
    }

    private struct State {
        var tallies: [Counter: Tally] = [:]
        var refusals: [String: Int] = [:]
    }

    /// Most counters in memory; beyond it all are forgotten, with what is not in the database.
    private static let capacity = 50_000

    private let adjusted: [String: Int]
    private let state = Mutex(State())

    /// - Parameter adjusted: numbers in place of those of the table, by the names of the limits.
    public init(adjusted: [String: Int] = [:]) { self.adjusted = adjusted }

    /// Most uses of a limit within its window.
    public func most(of limit: RateLimit) -> Int { adjusted[limit.name] ?? limit.count }

    /// Number of refusals since the start, by the name of the limit.
    public var refusals: [String: Int] { state.withLock { $0.refusals } }

    /// Counts uses, and returns those to add to the database now.
    ///
    /// - Throws: `TooManyRequests`, and counts nothing, if one of the limits is known to be used up.
    func add(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) throws(TooManyRequests) -> [RateLimit.Use] {
        try state.withLock { (state: inout State) throws(TooManyRequests) in
            try check(uses.filter { share(of: $0.limit) > 1 }, team, now, &state)
            return uses.compactMap { use in
                // An exact limit is counted in the database alone.
                guard share(of: use.limit) > 1 else { return use }
                return change(use, team, now, &state) { tally in
                    tally.total += use.amount
                    tally.pending += use.amount
                    // What is under way is not known to others yet, so it counts towards the share.
                    guard tally.pending + tally.underWay >= share(of: use.limit) || tally.total > most(of: use.limit)
                    else { return nil }
                    let due = RateLimit.Use(use.limit, by: use.key, tally.pending)
                    tally.underWay += tally.pending
                    tally.pending = 0
                    return due
                }
            }
        }
    }

    /// Takes over a shared count that includes `use`; nil if the database did not count it.
    ///
    /// - Throws: `TooManyRequests` if it is beyond the limit.
    func learn(_ shared: (count: Int, endsAt: Timestamp)?, of use: RateLimit.Use, in team: TeamID, at now: Timestamp)
        throws(TooManyRequests)
    {
        try state.withLock { (state: inout State) throws(TooManyRequests) in
            if share(of: use.limit) > 1 {
                change(use, team, now, &state) { tally in
                    tally.underWay = max(0, tally.underWay - use.amount)
                    if let shared { (tally.total, tally.endsAt) = (shared.count + tally.pending, shared.endsAt) }
                }
            }
            guard let shared, shared.count > most(of: use.limit) else { return }
            throw refusal(of: use.limit, until: shared.endsAt, at: now, &state)
        }
    }

    /// Counts uses in this process alone; false if one of the limits is used up, and then counts nothing.
    public func isWithin(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> Bool {
        state.withLock { state in
            do throws(TooManyRequests) { try check(uses, team, now, &state) } catch { return false }
            for use in uses { change(use, team, now, &state) { $0.total += use.amount } }
            return true
        }
    }

    /// - Throws: `TooManyRequests` for the first limit that is known to be used up.
    private func check(_ uses: [RateLimit.Use], _ team: TeamID, _ now: Timestamp, _ state: inout State)
        throws(TooManyRequests)
    {
        if state.tallies.count > Self.capacity { state.tallies.removeAll(keepingCapacity: true) }
        for use in uses {
            guard let tally = state.tallies[counter(use, team)], tally.endsAt > now, tally.total >= most(of: use.limit)
            else { continue }
            throw refusal(of: use.limit, until: tally.endsAt, at: now, &state)
        }
    }

    /// Changes the tally of the current window, in place.
    private func change<Result>(
        _ use: RateLimit.Use, _ team: TeamID, _ now: Timestamp, _ state: inout State, by change: (inout Tally) -> Result
    ) -> Result {
        func current(_ tally: inout Tally) -> Result {
            if tally.endsAt <= now { tally = Tally(endsAt: now + use.limit.window) }
            return change(&tally)
        }
        return current(&state.tallies[counter(use, team), default: Tally(endsAt: now)])
    }

    /// Takes uses back that were counted at `now`, and returns those to take back in the database.
    func remove(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> [RateLimit.Use] {
        state.withLock { state in
            uses.compactMap { use in
                guard var tally = state.tallies[counter(use, team)] else { return use }
                guard tally.endsAt > now, tally.endsAt <= use.limit.latestEnd(at: now) else { return nil }
                tally.total = max(0, tally.total - use.amount)
                let local = min(tally.pending, use.amount)
                tally.pending -= local
                state.tallies[counter(use, team)] = tally
                return local == use.amount ? nil : RateLimit.Use(use.limit, by: use.key, use.amount - local)
            }
        }
    }

    /// Uses that a process counts before it adds them to the shared count.
    private func share(of limit: RateLimit) -> Int { most(of: limit) / 32 }

    private func counter(_ use: RateLimit.Use, _ team: TeamID) -> Counter {
        Counter(team: team, limit: use.limit, key: use.key)
    }

    private func refusal(of limit: RateLimit, until end: Timestamp, at now: Timestamp, _ state: inout State)
        -> TooManyRequests
    {
        state.refusals[limit.name, default: 0] += 1
        return TooManyRequests(limit: limit, wait: end - now)
    }
}

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
