import Core

/// Selection for a check-up when a team has more objects of a kind than it checks: those checked longest ago.
struct LeastRecentlyChecked<Thing> {
    /// The selected objects, in their original order.
    let things: [Thing]
    /// Number of objects not selected.
    let rest: Int

    /// - Parameter lookedAt: the time of an object's last check; nil, for never, is selected first.
    init(of all: [Thing], most: Int, lookedAt: (Thing) -> Timestamp?) {
        let moments = all.map { lookedAt($0) ?? Timestamp(microseconds: .min) }
        let order = all.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
        things = order.prefix(most).sorted().map { all[$0] }
        rest = max(0, all.count - most)
    }
}
