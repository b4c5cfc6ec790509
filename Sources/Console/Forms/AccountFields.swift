import Core
import Directory
import HTTP
import Platform
import SignIn

/// Form fields of a new console account, for the first operator and for invited members.
enum AccountFields {
    static func givenName(_ value: String, _ errors: FieldErrors) -> Input {
        Input(
            "given_name", Message("console.setup.first-name"), value, autocomplete: "given-name", errors: errors,
            isRequired: false)
    }

    static func familyName(_ value: String, _ errors: FieldErrors) -> Input {
        Input(
            "family_name", Message("console.setup.last-name"), value, autocomplete: "family-name", errors: errors,
            isRequired: false)
    }

    /// Password field, always empty, so that no page contains a password.
    static func password(_ errors: FieldErrors) -> Input {
        Input(
            "password", Message("console.setup.password"), as: .line("password"), autocomplete: "new-password",
            hint: Message("shared.passwords.hint", count: PasswordRule.minimumLengthOfConsole), errors: errors)
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
