/// Every reason why templates cannot be used, in the order found.
public struct Diagnostics: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one when thrown; no reason twice; at most a hundred.
    public private(set) var all: [Diagnostic] = []

    init() {}

    init(_ only: Diagnostic) {
        all = [only]
    }

    /// One line each.
    public var description: String {
        all.map(\.description).joined(separator: "\n")
    }

    var isFull: Bool { all.count >= Limit.diagnostics }

    /// A partial is bound once for every place that uses it, so the same reason may come again.
    mutating func report(_ diagnostic: Diagnostic) {
        guard !isFull, !all.contains(diagnostic) else { return }
        all.append(diagnostic)
    }

    mutating func report(contentsOf others: Diagnostics) {
        for diagnostic in others.all {
            report(diagnostic)
        }
    }

    /// Forgets what was reported after `count`.
    mutating func truncate(to count: Int) {
        all.removeLast(max(0, all.count - count))
    }
}
