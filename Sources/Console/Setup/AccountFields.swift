import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

/// The fields of a new console account: the first operator's, and those of people who were invited.
enum AccountFields {
    static func givenName(_ value: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            "given_name",
            label: Phrase("console.setup.first-name"),
            value: value,
            autocomplete: "given-name",
            error: errors["given_name"],
            isRequired: false
        )
    }

    static func familyName(_ value: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            "family_name",
            label: Phrase("console.setup.last-name"),
            value: value,
            autocomplete: "family-name",
            error: errors["family_name"],
            isRequired: false
        )
    }

    /// What was typed is not sent back: a password stands in no page.
    static func password(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "password",
            label: Phrase("console.setup.password"),
            type: "password",
            autocomplete: "new-password",
            hint: Phrase("shared.passwords.hint", count: PasswordRule.minimumLengthOfConsole),
            error: errors["password"]
        )
    }
}

extension PasswordChoice {
    /// Of an account of the console, by whoever holds a link that lets them make one.
    static func ofConsole(
        by token: LinkToken,
        _ request: Request,
        at now: Timestamp,
        with passwords: NewPasswords
    ) -> PasswordChoice {
        PasswordChoice(
            in: "password",
            by: .holder(token),
            in: .system,
            from: request.auditOrigin,
            at: now,
            with: passwords
        )
    }
}

extension FieldErrors {
    mutating func readName(given: String, family: String) -> PersonName? {
        let message = Phrase("console.setup.name.too-long", count: PersonName.maximumLength)
        if PersonName(given: given, family: "") == nil { add("given_name", message) }
        if PersonName(given: "", family: family) == nil { add("family_name", message) }
        return PersonName(given: given, family: family)
    }

    /// Reads the password of an account of the console.
    ///
    /// - Parameter names: of the teams it is for.
    mutating func readPassword(
        _ text: String,
        _ email: EmailAddress?,
        _ name: PersonName?,
        around names: [String],
        _ choice: PasswordChoice
    ) async throws -> NewPassword? {
        let rule = PasswordRule(in: .system, email: email, name: name ?? .none, around: names)
        return try await take(text, by: rule, choice)
    }
}
