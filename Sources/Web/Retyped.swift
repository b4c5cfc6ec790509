import Bytes

/// A text that a person types once more, as it stands on the page, before something that cannot be undone.
///
/// Upper and lower case count as the same, and white space around it is none of it. Code points are compared, of which
/// no more are looked at than there may be.
public struct Retyped: Sendable {
    /// Where what was typed leaves the text.
    public enum Difference: Equatable, Sendable {
        /// Another character than the one there, counted from 1.
        case character(Int, typed: Unicode.Scalar, right: Unicode.Scalar)
        /// It ends before this.
        case missing(String)
        /// This stands behind it; of a long text the beginning.
        case surplus(String)
    }

    /// How many octets behind the text are told.
    private static let longestSurplus = 100

    /// What is to be typed.
    public let expected: String
    private let typed: [Unicode.Scalar]
    private let right: [Unicode.Scalar]

    public init(_ typed: String, expecting expected: String) {
        // Four octets at most for one that is expected.
        let most = 4 * expected.utf8.count + Self.longestSurplus
        self.typed = Array(typed.trimmedWhiteSpace.cut(toOctets: most).unicodeScalars)
        self.expected = expected
        right = Array(expected.unicodeScalars)
    }

    /// Whether it is that text.
    public var isRight: Bool { difference == nil }

    /// The first difference; nil when there is none.
    public var difference: Difference? {
        for (index, (left, right)) in zip(typed, right).enumerated()
        where left.properties.lowercaseMapping != right.properties.lowercaseMapping {
            return .character(index + 1, typed: left, right: right)
        }
        if typed.count < right.count { return .missing(Self.text(right[typed.count...])) }
        guard typed.count > right.count else { return nil }
        return .surplus(Self.text(typed[right.count...]).cut(toOctets: Self.longestSurplus))
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
