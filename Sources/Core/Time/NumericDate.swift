/// A time from untrusted input, in whole seconds since 1970-01-01 UTC (NumericDate of RFC 7519 section 2).
///
/// Limited to the years 1970 to 9999, so that callers can add, subtract, and compare without checking for an overflow,
/// which in Swift ends the process.
public struct NumericDate: Hashable, Comparable, Sendable {
    /// From the start of 1970 to the last second of 9999, the last year that RFC 3339 can represent.
    public static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// Seconds since 1970, within `range`.
    public let seconds: Int

    /// Creates a date from seconds since 1970; nil if they are outside `range`.
    public init?(seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = Int(seconds)
    }

    /// Creates a date from milliseconds since 1970, rounded down to seconds; nil if they are outside `range`.
    public init?(milliseconds: Int64) {
        guard milliseconds >= 0 else { return nil }
        self.init(seconds: milliseconds / 1000)
    }

    /// The date as a `Timestamp`.
    public var timestamp: Timestamp { Timestamp(seconds: seconds) }

    public static func < (left: NumericDate, right: NumericDate) -> Bool { left.seconds < right.seconds }
}
