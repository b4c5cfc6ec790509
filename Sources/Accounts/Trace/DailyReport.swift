public import Core
public import OAuth

/// A team's counts for each of the last days, as shown on its overview.
public struct DailyReport: Sendable {
    /// The start of each day, in UTC, today last.
    public let days: [Timestamp]
    public let signIns: [Int]
    /// Today's are counted up to `DailyCountStore.todayLimit`.
    public let newUsers: [Int]
    public let failures: [Int]
    /// Causes of the failures on all these days, most frequent first.
    public let causes: [(cause: RefusalCause, count: Int)]
    /// Sign-in traces that were counted but not stored.
    public let unkept: Int

    /// One stored count.
    struct Entry: Sendable {
        let measure: Measure
        let day: String
        let subject: String
        let count: Int
    }

    init(_ entries: [Entry], days: [Timestamp]) {
        self.days = days
        let numbers = Dictionary(
            uniqueKeysWithValues: days.enumerated().map { (String($1.description.prefix(10)), $0) })
        func series(_ measure: Measure) -> [Int] {
            entries.reduce(into: [Int](repeating: 0, count: days.count)) { counts, entry in
                guard entry.measure == measure, let number = numbers[entry.day] else { return }
                counts[number] += entry.count
            }
        }
        signIns = series(.signIn)
        newUsers = series(.newUser)
        failures = series(.failure)
        unkept = series(.unkept).reduce(0, +)
        causes = Self.causes(entries)
    }

    private static func causes(_ entries: [Entry]) -> [(cause: RefusalCause, count: Int)] {
        var counts: [RefusalCause: Int] = [:]
        for entry in entries where entry.measure == .failure {
            counts[RefusalCause(rawValue: entry.subject) ?? .other, default: 0] += entry.count
        }
        return counts.map { (cause: $0.key, count: $0.value) }.sorted {
            ($1.count, $0.cause.rawValue) < ($0.count, $1.cause.rawValue)
        }
    }
}
