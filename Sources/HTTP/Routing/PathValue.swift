internal import Bytes

/// A value that stands for one segment of a path.
///
/// Parsing is the check: a segment that does not parse is answered with 404 before the handler runs.
public protocol PathValue: Sendable {
    /// Parses a percent-decoded segment; nil when it is not a value of the type.
    static func parse(pathSegment: Span<UInt8>) -> Self?
    /// The segment for the value, without percent escapes, which the caller adds.
    var pathSegment: String { get }
}

extension PathValue where Self: LosslessStringConvertible {
    public static func parse(pathSegment: Span<UInt8>) -> Self? {
        String.parse(pathSegment: pathSegment).flatMap { Self($0) }
    }

    public var pathSegment: String { description }
}

extension String: PathValue {
    /// Accepts any text except the empty one; rejects octets that are not UTF-8 and text that is not stream-safe.
    public static func parse(pathSegment: Span<UInt8>) -> String? {
        guard !pathSegment.isEmpty else { return nil }
        let text = unsafe pathSegment.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        return text.flatMap { $0.isStreamSafe ? $0 : nil }
    }

    public var pathSegment: String { self }
}

extension Int: PathValue {
    /// Accepts decimal digits; rejects other spellings such as `+1` and `01`, so that each value has one path.
    public static func parse(pathSegment: Span<UInt8>) -> Int? {
        guard let text = String.parse(pathSegment: pathSegment), let value = Int(text) else { return nil }
        return String(value) == text ? value : nil
    }
}
