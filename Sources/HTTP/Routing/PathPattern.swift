internal import Bytes

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
