#if canImport(Glibc)
    private import Glibc
#endif

/// A moment in UTC, in microseconds since 1970-01-01: what PostgreSQL's `timestamptz` resolves.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public init(seconds: Int) {
        microseconds = Int64(seconds) * 1_000_000
    }

    /// The clock of the machine.
    public static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Whole seconds since 1970, rounded down: JWT's NumericDate (RFC 7519 section 2).
    public var seconds: Int {
        Int(microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: moment.microseconds + duration.microseconds)
    }

    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: moment.microseconds - duration.microseconds)
    }

    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
}

extension Duration {
    /// Whole microseconds, rounded toward zero.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with whole seconds, such as `2026-11-20T11:29:00Z`.
    public var description: String {
        let civil = Civil(secondsSince1970: seconds)
        return
            "\(civil.date)T\(Civil.padded(civil.hour)):\(Civil.padded(civil.minute)):\(Civil.padded(civil.second))Z"
    }

    /// For people, in UTC: `20 Nov 2026, 11:29`.
    public var readable: String {
        let civil = Civil(secondsSince1970: seconds)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(civil.day) \(months[civil.month - 1]) \(civil.year), "
            + "\(Civil.padded(civil.hour)):\(Civil.padded(civil.minute))"
    }

    /// The moment with microseconds in RFC 3339, exact enough for a cursor or a log line.
    public var precise: String {
        let fraction = String(microseconds - Int64(seconds) * 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(description.dropLast()).\(zeros)\(fraction)Z"
    }
}

/// A date and time of day in the proleptic Gregorian calendar, in UTC.
private struct Civil {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// Days to a date by 400-year eras that begin in March, so that leap days come last.
    init(secondsSince1970 seconds: Int) {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - days * 86_400
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var date: String {
        let text = String(year)
        let zeros = String(repeating: "0", count: max(0, 4 - text.utf8.count))
        return "\(zeros)\(text)-\(Self.padded(month))-\(Self.padded(day))"
    }

    static func padded(_ value: Int) -> String {
        value < 10 ? "0\(value)" : String(value)
    }
}
