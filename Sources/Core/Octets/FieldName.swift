/// The name of a field in untrusted input: at most 128 printable ASCII characters.
///
/// Names are looked up, hashed, and compared repeatedly. Swift compares strings by canonical equivalence, which takes
/// quadratic time for combining marks out of canonical order: 65 KB of them blocked a loop for 25 seconds. ASCII
/// strings are compared bytewise, so a name can contain only ASCII.
public struct FieldName: Hashable, Sendable {
    /// Maximum length in octets, more than any supported protocol or form needs.
    public static let maximumCount = 128

    /// The name as text.
    public let text: String

    /// Creates a name; nil if `text` is longer than `maximumCount` or contains anything but printable ASCII.
    public init?(_ text: String) {
        guard Self.isName(text.utf8.span) else { return nil }
        self.text = text
    }

    init?(_ octets: [UInt8]) {
        guard Self.isName(octets.span) else { return nil }
        text = String(decoding: octets, as: UTF8.self)
    }

    /// Whether `octets` form a valid name.
    static func isName(_ octets: Span<UInt8>) -> Bool {
        guard octets.count <= maximumCount else { return false }
        for index in octets.indices where !(0x20..<0x7F).contains(octets[index]) { return false }
        return true
    }
}

extension FieldName: ExpressibleByStringLiteral {
    /// Creates a name from a literal in source code; traps if the literal is not a valid name.
    public init(stringLiteral text: StaticString) {
        let text = text.description
        precondition(Self.isName(text.utf8.span), "\(text) is no name of a field")
        self.text = text
    }
}

extension FieldName: CustomStringConvertible { public var description: String { text } }

extension FieldName: Comparable {
    public static func < (left: FieldName, right: FieldName) -> Bool { left.text < right.text }
}
