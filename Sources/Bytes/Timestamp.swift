#if canImport(Glibc)
    private import Glibc
#endif

/// A moment in UTC, in microseconds since 1970-01-01: what PostgreSQL's `timestamptz` resolves.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
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
    /// The date and the time of day in UTC.
    public var civil: CivilTime { CivilTime(secondsSince1970: seconds) }

    /// RFC 3339 in UTC with whole seconds, such as `2026-11-20T11:29:00Z`.
    public var description: String {
        let civil = civil
        return
            "\(civil.date)T\(CivilTime.padded(civil.hour)):\(CivilTime.padded(civil.minute)):\(CivilTime.padded(civil.second))Z"
    }

    /// The moment with microseconds in RFC 3339, exact enough for a cursor or a log line.
    public var precise: String {
        let fraction = String(microseconds - Int64(seconds) * 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(description.dropLast()).\(zeros)\(fraction)Z"
    }
}
