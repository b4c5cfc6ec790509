import Core

extension FieldView {
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
