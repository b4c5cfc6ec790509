internal import Bytes

/// A value that stands for one segment of a path.
///
/// Parsing is the check: a segment that names no value of the type is answered 404 before the handler runs.
public protocol PathValue: Sendable {
    /// Reads a segment, percent-decoded; nil when it is no such value.
    static func parse(pathSegment: Span<UInt8>) -> Self?
    /// The segment that names the value; escaped by whoever prints it.
    var pathSegment: String { get }
}

extension PathValue where Self: LosslessStringConvertible {
    public static func parse(pathSegment: Span<UInt8>) -> Self? {
        String.parse(pathSegment: pathSegment).flatMap { Self($0) }
    }

    public var pathSegment: String { description }
}

extension String: PathValue {
    /// Any text but the empty one; octets that are not UTF-8 are no text.
    public static func parse(pathSegment: Span<UInt8>) -> String? {
        guard !pathSegment.isEmpty else { return nil }
        let text = unsafe pathSegment.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        return text.flatMap { $0.isStreamSafe ? $0 : nil }
    }

    public var pathSegment: String { self }
}

extension Int: PathValue {
    /// A number in decimal digits; `+1` and `01` are other spellings of it, and no address has two.
    public static func parse(pathSegment: Span<UInt8>) -> Int? {
        guard let text = String.parse(pathSegment: pathSegment), let value = Int(text) else { return nil }
        return String(value) == text ? value : nil
    }
}
