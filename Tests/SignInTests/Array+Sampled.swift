extension Array {
    /// Of all pairs, `count` with each first member, such that each second one is met: enough for every day, while the
    /// whole product is for the long tests.
    func sampled<A: Hashable, B: Hashable>(_ count: Int = 3) -> [Element] where Element == (A, B) {
        var uses: [B: Int] = [:]
        var places: [Int] = []
        func take(_ place: Int) {
            uses[self[place].1, default: 0] += 1
            places.append(place)
        }
        for place in indices where indices.first(where: { self[$0].0 == self[place].0 }) == place {
            let own = indices.filter { self[$0].0 == self[place].0 }
            for next in own.sorted(by: { (uses[self[$0].1] ?? 0, $0) < (uses[self[$1].1] ?? 0, $1) }).prefix(count) {
                take(next)
            }
        }
        for place in indices where uses[self[place].1] == nil { take(place) }
        return places.sorted().map { self[$0] }
    }
}
