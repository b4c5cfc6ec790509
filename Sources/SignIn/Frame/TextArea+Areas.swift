import Core
public import Templates

extension TextArea {
    /// The areas of `Texts/`, each with its required languages.
    public static let all = [
        // Texts shared by hosted pages and the console.
        TextArea("shared", in: Language.allCases), TextArea("hosted", in: Language.allCases),
        TextArea("mail", in: Language.allCases), TextArea("console", in: [.english]),
        TextArea("sample", in: [.english]),
    ]
}
