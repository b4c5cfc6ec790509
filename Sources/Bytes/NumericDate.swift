/// A moment that somebody else wrote as a number: whole seconds since 1970 (NumericDate of RFC 7519 section 2).
///
/// It holds the years 1970 to 9999 and nothing else, so that whoever has one can add, subtract and compare without
/// looking for an overflow, which in Swift ends the process.
public struct NumericDate: Hashable, Comparable, Sendable {
    /// The first moment of 1970 to the last second of 9999, which is as far as RFC 3339 can spell a date.
    public static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// Seconds since 1970, within `range`.
    public let seconds: Int

    /// - Parameter seconds: as they came; nil for what lies outside `range`.
    public init?(seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = Int(seconds)
    }

    /// - Parameter milliseconds: as they came, for senders who count in these; nil for what lies outside `range`.
    public init?(milliseconds: Int64) {
        guard milliseconds >= 0 else { return nil }
        self.init(seconds: milliseconds / 1000)
    }

    /// The moment as the rest of the code counts it.
    public var timestamp: Timestamp { Timestamp(seconds: seconds) }

    public static func < (left: NumericDate, right: NumericDate) -> Bool {
        left.seconds < right.seconds
    }
}
