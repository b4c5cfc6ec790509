/// The name of a field that came from outside: at most 128 printable ASCII characters.
///
/// Names are looked up, hashed and compared over and over. Two texts are equal in Swift when they look alike, and to
/// find that out of marks out of canonical order costs the square of their length: 65 KB of them held a loop for
/// 25 seconds. Of ASCII the same comparison is one of octets, so a name can be nothing else.
public struct FieldName: Hashable, Sendable {
    /// Octets that are more than any protocol or form here needs.
    public static let maximumCount = 128

    /// The name.
    public let text: String

    /// - Parameter text: nil for one too long or with other characters than printable ASCII.
    public init?(_ text: String) {
        guard Self.isName(text.utf8.span) else { return nil }
        self.text = text
    }

    init?(_ octets: [UInt8]) {
        guard Self.isName(octets.span) else { return nil }
        text = String(decoding: octets, as: UTF8.self)
    }

    /// Whether these are octets of a name.
    static func isName(_ octets: Span<UInt8>) -> Bool {
        guard octets.count <= maximumCount else { return false }
        for index in octets.indices where !(0x20..<0x7F).contains(octets[index]) { return false }
        return true
    }
}

extension FieldName: ExpressibleByStringLiteral {
    /// A name written in the code.
    public init(stringLiteral text: StaticString) {
        let text = text.description
        precondition(Self.isName(text.utf8.span), "\(text) is no name of a field")
        self.text = text
    }
}

extension FieldName: CustomStringConvertible {
    public var description: String { text }
}

extension FieldName: Comparable {
    public static func < (left: FieldName, right: FieldName) -> Bool {
        left.text < right.text
    }
}
