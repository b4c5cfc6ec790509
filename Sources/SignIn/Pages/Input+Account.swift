import Core
import Directory
import Platform

extension Input {
    /// Field for the current password.
    static func currentPassword(_ name: String, _ errors: FieldErrors) -> Input {
        Input(
            name, Message("hosted.password.current"), as: .line("password"), autocomplete: "current-password",
            errors: errors)
    }

    /// Field for a new password.
    static func newPassword(in team: TeamID?, _ errors: FieldErrors) -> Input {
        Input(
            "new", Message("hosted.password.new"), as: .line("password"), autocomplete: "new-password",
            hint: Message("shared.passwords.hint", count: PasswordRule(in: team, email: nil).minimumLength),
            errors: errors)
    }

    /// Fields for a name, the family name first where the reader's languages have it so.
    ///
    /// - Parameters:
    ///   - languages: tags of the languages; see `Request.languageTags`.
    ///   - errors: of which that of the name as a whole stands at the given name.
    static func names(given: String, family: String, in languages: String, _ errors: FieldErrors) -> [Input] {
        let fields = [
            Input(
                "given_name", Message("hosted.consent.given"), given, autocomplete: "given-name", errors: errors,
                isRequired: false),
            Input(
                "family_name", Message("hosted.consent.family"), family, autocomplete: "family-name", isRequired: false),
        ]
        return Language.putsFamilyNameFirst(languages) ? fields.reversed() : fields
    }
}
