import Core
import Directory
import Platform
import Postgres

/// A text that the user retypes to confirm an irreversible action.
///
/// Case, surrounding white space and marks that nobody sees are ignored. The comparison is by Unicode scalars, and input beyond the possible
/// length of the text is cut off.
public struct Retyped: Sendable {
    /// First difference between the input and the expected text.
    public enum Difference: Equatable, Sendable {
        /// A different character at this position, counted from 1.
        case character(Int, typed: Unicode.Scalar, right: Unicode.Scalar)
        /// The rest of the expected text, which the input lacks.
        case missing(String)
        /// Input after the end of the expected text, at most 100 bytes of it.
        case surplus(String)
    }

    /// Maximum length of a reported surplus, in bytes.
    private static let longestSurplus = 100

    /// Text to type.
    public let expected: String
    private let typed: [Unicode.Scalar]
    private let right: [Unicode.Scalar]

    public init(_ typed: String, expecting expected: String) {
        // A Unicode scalar has at most four bytes in UTF-8.
        let most = 4 * expected.utf8.count + Self.longestSurplus
        self.typed = Array(typed.cut(toOctets: most).typedLine.unicodeScalars)
        self.expected = expected
        right = Array(expected.unicodeScalars)
    }

    /// Whether the input matches the text.
    public var isRight: Bool { difference == nil }

    /// First difference, or nil if the input matches.
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
