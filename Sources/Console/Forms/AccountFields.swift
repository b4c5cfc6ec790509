import Core
import Directory
import HTTP
import Platform
import SignIn

/// Form fields of a new console account, for the first operator and for invited members.
enum AccountFields {
    static func givenName(_ value: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            "given_name", label: Message("console.setup.first-name"), value: value, autocomplete: "given-name",
            error: errors["given_name"], isRequired: false)
    }

    static func familyName(_ value: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            "family_name", label: Message("console.setup.last-name"), value: value, autocomplete: "family-name",
            error: errors["family_name"], isRequired: false)
    }

    /// Password field, always empty, so that no page contains a password.
    static func password(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "password", label: Message("console.setup.password"), type: "password", autocomplete: "new-password",
            hint: Message("shared.passwords.hint", count: PasswordRule.minimumLengthOfConsole),
            error: errors["password"])
    }
}

extension PasswordChoice {
    /// Password of a new console account.
    static func ofConsole(_ request: Request, at now: Timestamp, with passwords: NewPasswords) -> PasswordChoice {
        PasswordChoice(in: "password", of: .system, from: request.auditOrigin, at: now, with: passwords)
    }
}

extension FieldErrors {
    mutating func readName(given: String, family: String) -> PersonName? {
        let message = Message("console.setup.name.too-long", count: PersonName.maximumLength)
        if PersonName(given: given, family: "") == nil { add("given_name", message) }
        if PersonName(given: "", family: family) == nil { add("family_name", message) }
        return PersonName(given: given, family: family)
    }

    /// Reads the password of a console account; nil if it is rejected.
    ///
    /// - Parameter names: names of the account's teams, which the password rule takes into account.
    mutating func readPassword(
        _ text: String, _ email: EmailAddress?, _ name: PersonName?, around names: [String], _ choice: PasswordChoice
    ) async throws -> NewPassword? {
        let rule = PasswordRule(in: .system, email: email, name: name ?? .none, around: names)
        return try await take(text, by: rule, choice)
    }
}
