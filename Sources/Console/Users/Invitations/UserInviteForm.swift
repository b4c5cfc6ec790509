import Bytes
import Domain
import HTTP
import Localization
import Web

/// Form that invites a user: email and language of the mail as entered, with errors.
struct UserInviteForm: Sendable {
    private(set) var email = ""
    private(set) var language: Language
    var errors = FieldErrors()

    /// - Parameter language: the preselected language of the mail.
    init(language: Language) { self.language = language }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form) -> EmailAddress? {
        email = form["email"] ?? ""
        language = form["language"].flatMap(Language.init(rawValue:)) ?? language
        return errors.require(EmailAddress(rawValue: email.trimmed), "email", Message("console.members.email.wrong"))
    }

    var emailView: FieldView {
        FieldView(
            "email", label: Message("console.members.email"), type: "email", value: email, autocomplete: "off",
            placeholder: "ada@example.org", error: errors["email"])
    }

    var languageView: SelectView {
        SelectView(
            "language", label: Message("console.user-invitations.language"),
            hint: Message("console.user-invitations.language.hint"),
            options: Language.allCases.map { option in
                SelectView.Option(
                    option.rawValue, Message(in: "console.languages", option.rawValue), isSelected: option == language)
            })
    }
}
