import Bytes
import Domain
import HTTP
import Web

/// Whom a team invites and in which language, as it was typed and as it was understood.
struct UserInviteForm: Sendable {
    private(set) var email = ""
    private(set) var language: Language
    var errors = FieldErrors()

    /// - Parameter language: what the mail is written in unless another one is chosen.
    init(language: Language) {
        self.language = language
    }

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    mutating func read(_ form: Form) -> EmailAddress? {
        email = form["email"] ?? ""
        language = form["language"].flatMap(Language.init(rawValue:)) ?? language
        return errors.require(
            EmailAddress(rawValue: email.trimmed),
            "email",
            Phrase("console.members.email.wrong")
        )
    }

    var emailView: FieldView {
        FieldView(
            "email",
            label: Phrase("console.members.email"),
            type: "email",
            value: email,
            autocomplete: "off",
            placeholder: "ada@example.org",
            error: errors["email"]
        )
    }

    var languageView: SelectView {
        SelectView(
            "language",
            label: Phrase("console.user-invitations.language"),
            hint: Phrase("console.user-invitations.language.hint"),
            options: Language.allCases.map { option in
                SelectView.Option(
                    option.rawValue,
                    Phrase(in: "console.languages", option.rawValue),
                    isSelected: option == language
                )
            }
        )
    }
}
