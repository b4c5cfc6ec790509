import Bytes
import Directory
import Domain
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
            hint: Phrase("console.setup.password.hint", count: NewPassword.lengths.lowerBound),
            error: errors["password"]
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

    mutating func readPassword(_ text: String, _ email: EmailAddress?) -> NewPassword? {
        do throws(NewPassword.Problem) {
            return try NewPassword(text, email: email)
        } catch {
            add("password", Self.message(error))
            return nil
        }
    }

    private static func message(_ problem: NewPassword.Problem) -> Phrase {
        let lengths = NewPassword.lengths
        return switch problem {
        case .tooShort: Phrase("console.setup.password.too-short", count: lengths.lowerBound)
        case .tooLong: Phrase("console.setup.password.too-long", count: lengths.upperBound)
        case .isEmail: Phrase("console.setup.password.is-email")
        }
    }
}
