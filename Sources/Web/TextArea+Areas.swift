import Bytes
public import Templates

extension TextArea {
    /// The areas of the catalogue that Pippin shows.
    public static let all = [
        // What hosted pages and the console share.
        TextArea("shared", in: Language.allCases),
        TextArea("hosted", in: Language.allCases),
        TextArea("mail", in: Language.allCases),
        TextArea("console", in: [.english]),
        TextArea("sample", in: [.english]),
    ]
}
