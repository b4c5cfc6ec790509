import Bytes

/// What a check-up takes of things of one kind, where a team may have more than it looks at: those that nobody has
/// looked at for longest.
struct Choice<Thing> {
    /// In the order in which they were given.
    let things: [Thing]
    /// How many others there are.
    let rest: Int

    /// - Parameter lookedAt: when somebody last looked at a thing; nil goes first.
    init(of all: [Thing], most: Int, lookedAt: (Thing) -> Timestamp?) {
        let moments = all.map { lookedAt($0) ?? Timestamp(microseconds: .min) }
        let order = all.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
        things = order.prefix(most).sorted().map { all[$0] }
        rest = max(0, all.count - most)
    }
}
