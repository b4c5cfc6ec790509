public import Core
public import Directory
public import Platform
import Postgres

/// Errors of a form by field, in the order of the page.
public struct FieldErrors: Sendable {
    private var all: [(name: String, message: LocalizedText)] = []

    public init() {}

    public var isEmpty: Bool { all.isEmpty }

    /// Adds an error to a field that has none yet; the first error is kept.
    public mutating func add(_ name: String, _ message: any LocalizedTextConvertible) {
        if self[name] == nil { all.append((name, message.localizedText)) }
    }

    /// Adds `message` to the field if `value` is nil, because the input is invalid.
    public mutating func require<Value>(_ value: Value?, _ name: String, _ message: any LocalizedTextConvertible)
        -> Value?
    {
        if value == nil { add(name, message) }
        return value
    }

    /// Error of a field.
    public subscript(_ name: String) -> LocalizedText? { all.first { $0.name == name }?.message }

    /// Lines of the summary above the form, each linking to its field.
    public var summary: [FormError] { all.map { FormError(id: "field-\($0.name)", message: $0.message) } }
}

/// Context of a new password in a form: the field, team, origin and time of the request.
public struct PasswordChoice: Sendable {
    let field: String
    let team: TeamID
    let origin: Origin
    let now: Timestamp
    let passwords: NewPasswords

    /// - Parameter field: the name of the form's field.
    public init(in field: String, of team: TeamID, from origin: Origin, at now: Timestamp, with passwords: NewPasswords)
    {
        self.field = field
        self.team = team
        self.origin = origin
        self.now = now
        self.passwords = passwords
    }
}

extension FieldErrors {
    /// Counts and validates a new password; on failure adds an error to the field and returns nil.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`, or `UserFacingError.unavailable` if too many validations are
    ///   queued.
    public mutating func take(_ text: String, by rule: PasswordRule, _ choice: PasswordChoice) async throws
        -> NewPassword?
    {
        do {
            let judgement = try await choice.passwords.judge(
                text, by: rule, in: choice.team, from: choice.origin, at: choice.now)
            return try judgement.get()
        } catch let problem as NewPassword.Problem {
            add(choice.field, problem.words)
            return nil
        } catch is PasswordHasher.Busy { throw UserFacingError.unavailable }
    }
}

/// A text that the user retypes to confirm an irreversible action.
///
/// Case and surrounding white space are ignored. The comparison is by Unicode scalars, and input beyond the possible
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
        self.typed = Array(typed.trimmedWhiteSpace.cut(toOctets: most).unicodeScalars)
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
