#if canImport(Glibc)
    private import Glibc
#endif

/// A time in UTC, in microseconds since 1970-01-01, the resolution of PostgreSQL's `timestamptz`.
///
/// Arithmetic saturates at the first and last representable times, some 292,000 years away, because an overflow would
/// end the process.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public init(seconds: Int) { microseconds = Int64(seconds).multipliedWithoutOverflow(by: 1_000_000) }

    /// The current time of the system clock.
    public static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Whole seconds since 1970, rounded down (NumericDate of RFC 7519 section 2).
    public var seconds: Int {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Int(rest < 0 ? seconds - 1 : seconds)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: moment.microseconds.addingWithoutOverflow(duration.microseconds))
    }

    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: moment.microseconds.subtractingWithoutOverflow(duration.microseconds))
    }

    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds.subtractingWithoutOverflow(right.microseconds))
    }
}

extension Duration {
    /// Whole microseconds, rounded toward zero and saturated to the range of `Int64`.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedWithoutOverflow(by: 1_000_000).addingWithoutOverflow(attoseconds / 1_000_000_000_000)
    }
}

extension Int64 {
    /// The sum, saturated to the range of `Int64`.
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, saturated to the range of `Int64`.
    fileprivate func subtractingWithoutOverflow(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product with a positive factor, saturated to the range of `Int64`.
    fileprivate func multipliedWithoutOverflow(by factor: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: factor)
        return isBeyond ? (self < 0 ? .min : .max) : product
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

    /// The time in RFC 3339 with microseconds, exact enough for a cursor or a log line.
    public var precise: String {
        let rest = microseconds % 1_000_000
        let fraction = String(rest < 0 ? rest + 1_000_000 : rest)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(description.dropLast()).\(zeros)\(fraction)Z"
    }
}

extension Timestamp {
    /// The start of a day in UTC, from the format of HTML date fields, such as `2026-11-20`.
    ///
    /// Returns nil if the text is not a day of the years 1970 to 9999.
    public init?(day text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1970...9999).contains(year), (1...12).contains(month)
        else { return nil }
        // Years begin in March, so that the leap day comes last, as in `CivilTime`.
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        let moment = Timestamp(seconds: days * 86_400)
        guard moment.description.hasPrefix(text) else { return nil }
        self = moment
    }
}
