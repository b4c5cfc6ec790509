public import Core
public import Directory
public import Templates

/// One line of the error summary above a form: a link to the field, if it is about one.
public struct ErrorLink: Sendable {
    let element: String?
    let message: LocalizedText

    public init(to element: String, _ message: any LocalizedTextConvertible) {
        self.element = element == FieldPath.whole.element ? nil : element
        self.message = message.localizedText
    }

    fileprivate static let fields = Fields<ErrorLink> {
        $0.optionalText("id") { $0.element }
        $0.words("message") { $0.message }
    }
}

extension Fields {
    /// The error summary of `partials/errors`.
    public mutating func errors(_ links: @escaping @Sendable (Value) -> [ErrorLink]) {
        list("errors", ErrorLink.fields, links)
    }
}

extension FieldPath {
    /// Id of the page element that shows the field's errors.
    public var element: String { "field-\(name)" }
}

extension FieldErrors {
    /// Lines of the summary above the form.
    public var links: [ErrorLink] { all.map { ErrorLink(to: $0.path.element, $0.message) } }

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
            add(FieldPath(choice.field), problem.words)
            return nil
        } catch is PasswordHasher.Busy { throw UserFacingError.unavailable }
    }
}
