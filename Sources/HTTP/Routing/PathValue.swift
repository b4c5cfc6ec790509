internal import Core

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
        return String(validUTF8: pathSegment).flatMap { $0.isStreamSafe ? $0 : nil }
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

/// Pattern of a path: literal segments and segments that carry a value.
struct PathPattern: Sendable {
    enum Segment: Equatable, Sendable {
        case literal([UInt8])
        case value
    }

    /// The pattern as declared.
    let text: String
    let segments: [Segment]

    /// Parses a pattern such as `/console/:team/keys`; a literal segment must not be empty and must need no escapes.
    init(_ text: String) {
        precondition(text.hasPrefix("/"), "a route begins with a slash: \(text)")
        self.text = text
        let parts = text == "/" ? [] : text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        segments = parts.map { part in
            precondition(!part.isEmpty, "a route has no empty segment: \(text)")
            if part.first == UInt8(ascii: ":") { return .value }
            precondition(part.allSatisfy(Self.isPlain), "a literal segment stands unescaped: \(text)")
            return .literal(Array(part))
        }
        precondition(valueCount <= Captures.capacity, "too many values in one route: \(text)")
    }

    var valueCount: Int { segments.count { $0 == .value } }

    /// Whether some path matches both patterns and neither is the more specific one throughout.
    func isAmbiguous(with other: PathPattern) -> Bool {
        guard segments.count == other.segments.count else { return false }
        var isNarrower = false
        var isWider = false
        for (mine, theirs) in zip(segments, other.segments) {
            switch (mine, theirs) {
            case (.literal(let left), .literal(let right)): if left != right { return false }
            case (.literal, .value): isNarrower = true
            case (.value, .literal): isWider = true
            case (.value, .value): continue
            }
        }
        return isNarrower && isWider
    }

    /// Whether an octet needs no escape in a path.
    static func isPlain(_ byte: UInt8) -> Bool { PercentCoding.isUnreserved(byte) }
}
