public import Core
public import Templates

/// The HTML part of an email.
public struct EmailMessagePage: View {
    public static let template = "mail/letter"
    public static let languages = Language.allCases
    public static let fields = Fields<Self> {
        $0.text("lang") { $0.language.tag }
        $0.words("subject") { $0.text.subject }
        $0.list("paragraphs", Paragraph.fields) { $0.text.paragraphs.map(Paragraph.init) }
        $0.optionalWords("actionLabel") { $0.text.action?.label }
        $0.optionalText("actionURL") { $0.text.action?.link }
        $0.list("notes", Paragraph.fields) { $0.text.notes.map(Paragraph.init) }
        $0.text("team") { $0.team }
    }

    public let language: Language
    let text: EmailMessageText
    let team: String

    struct Paragraph: Sendable {
        let words: any LocalizedTextConvertible

        static let fields = Fields<Paragraph> { $0.words("words") { $0.words } }
    }
}
