import Domain

/// How often a team's changes make a loop read its registry anew.
///
/// Who edits sees each change at once. Changes that come without end, as a script makes them, are read together: a reading
/// begins no sooner than the last ones allow, and shows all that was committed by then. So nothing is answered from what
/// is old, and no team keeps a loop or the database busy by changing one word again and again.
struct ReloadPace {
    /// How many readings may follow one another without a wait.
    static let burst: Int64 = 8
    /// The time between two readings from then on, in nanoseconds.
    static let interval: Int64 = 400_000_000
    /// More teams than this are not kept in mind: those that need not wait are let go.
    private static let capacity = 1024

    /// When all readings of a team so far would have had their time.
    private var paidUntil: [TeamID: Int64] = [:]

    /// Notes that what was read of the team is void.
    mutating func note(_ team: TeamID, at moment: Int64) {
        if paidUntil.count >= Self.capacity { paidUntil = paidUntil.filter { $0.value > moment } }
        paidUntil[team] = max(paidUntil[team] ?? moment, moment) + Self.interval
    }

    /// How long the next reading has to wait, in nanoseconds.
    func wait(for team: TeamID, at moment: Int64) -> Int64 {
        max(0, (paidUntil[team] ?? moment) - moment - Self.burst * Self.interval)
    }
}
