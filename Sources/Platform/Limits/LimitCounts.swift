public import Core
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
