/// A text that a person types once more, as it stands on the page, before something that cannot be undone.
///
/// Upper and lower case count as the same, and white space around it is none of it.
public struct Retyped: Sendable {
    /// Where what was typed leaves the text.
    public enum Difference: Equatable, Sendable {
        /// Another character than the one there, counted from 1.
        case character(Int, typed: Character, right: Character)
        /// It ends before this.
        case missing(String)
        /// This stands behind it.
        case surplus(String)
    }

    /// What is to be typed.
    public let expected: String
    private let typed: [Character]
    private let right: [Character]

    public init(_ typed: String, expecting expected: String) {
        let scalars = typed.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map { scalars.index(after: $0) }
        self.typed = Array(String(scalars[..<(end ?? scalars.startIndex)]))
        self.expected = expected
        right = Array(expected)
    }

    /// Whether it is that text.
    public var isRight: Bool { difference == nil }

    /// The first difference; nil when there is none.
    public var difference: Difference? {
        for (index, (left, right)) in zip(typed, right).enumerated()
        where left.lowercased() != right.lowercased() {
            return .character(index + 1, typed: left, right: right)
        }
        if typed.count < right.count { return .missing(String(right[typed.count...])) }
        return typed.count == right.count ? nil : .surplus(String(typed[right.count...]))
    }
}
