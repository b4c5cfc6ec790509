import Domain

/// Limits how often changes of a team make a loop reload its registry.
///
/// A few changes are visible at once. Under continuous changes, as a script makes them, a reload is delayed and
/// includes everything committed by then. So no response uses outdated data, and no team can keep a loop or the
/// database busy with repeated changes.
struct ReloadLimiter {
    /// Number of reloads without delay.
    static let burst: Int64 = 8
    /// Time between further reloads, in nanoseconds.
    static let interval: Int64 = 400_000_000
    /// Number of teams above which those without a delay are removed.
    private static let capacity = 1024

    /// The time at which the reloads of each team, one for each interval, would be done, in nanoseconds.
    private var paidUntil: [TeamID: Int64] = [:]

    /// Records that a snapshot of the team became invalid.
    mutating func note(_ team: TeamID, at moment: Int64) {
        if paidUntil.count >= Self.capacity { paidUntil = paidUntil.filter { $0.value > moment } }
        paidUntil[team] = max(paidUntil[team] ?? moment, moment) + Self.interval
    }

    /// Delay before the next reload, in nanoseconds.
    func wait(for team: TeamID, at moment: Int64) -> Int64 {
        max(0, (paidUntil[team] ?? moment) - moment - Self.burst * Self.interval)
    }
}
