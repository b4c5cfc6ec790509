public import Core
public import Directory
public import Templates

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

/// One line of the error summary above a form.
public struct FormError: Sendable {
    public let id: String
    public let message: LocalizedText

    public init(id: String, message: any LocalizedTextConvertible) {
        self.id = id
        self.message = message.localizedText
    }

    public static let fields = Fields<FormError> {
        $0.text("id") { $0.id }
        $0.words("message") { $0.message }
    }
}
