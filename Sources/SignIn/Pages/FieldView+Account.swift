import Core
import Directory
import Platform

extension FieldView {
    /// Field for the current password.
    static func currentPassword(_ name: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            name, label: Message("hosted.password.current"), type: "password", autocomplete: "current-password",
            error: errors[FieldPath(name)])
    }

    /// Field for a new password.
    static func newPassword(in team: TeamID?, error: LocalizedText?) -> FieldView {
        FieldView(
            "new", label: Message("hosted.password.new"), type: "password", autocomplete: "new-password",
            hint: Message("shared.passwords.hint", count: PasswordRule(in: team, email: nil).minimumLength),
            error: error)
    }

    /// Fields for a name, the family name first where the reader's languages have it so.
    ///
    /// - Parameters:
    ///   - languages: tags of the languages; see `Request.languageTags`.
    ///   - error: of the name as a whole, shown at the given name.
    static func names(given: String, family: String, in languages: String, error: LocalizedText?) -> [FieldView] {
        let fields = [
            FieldView(
                "given_name", label: Message("hosted.consent.given"), value: given, autocomplete: "given-name",
                error: error, isRequired: false),
            FieldView(
                "family_name", label: Message("hosted.consent.family"), value: family, autocomplete: "family-name",
                isRequired: false),
        ]
        return Language.putsFamilyNameFirst(languages) ? fields.reversed() : fields
    }
}
