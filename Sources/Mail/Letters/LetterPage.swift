public import Bytes
public import Templates

/// A letter as mail readers show it that show HTML.
public struct LetterPage: View {
    public static let template = "mail/letter"
    public static let languages = Language.allCases
    public static let fields = Fields<Self>()
        .text("lang") { $0.language.tag }
        .words("subject") { $0.text.subject }
        .list("paragraphs", Paragraph.fields) { $0.text.paragraphs.map(Paragraph.init) }
        .optionalWords("actionLabel") { $0.text.action?.label }
        .optionalText("actionURL") { $0.text.action?.link }
        .list("notes", Paragraph.fields) { $0.text.notes.map(Paragraph.init) }
        .text("team") { $0.team }

    public let language: Language
    let text: LetterText
    let team: String

    struct Paragraph: Sendable {
        let words: any Wording

        static let fields = Fields<Paragraph>().words("words") { $0.words }
    }
}
