public import Bytes
public import Templates

/// Puts letters into words.
public struct LetterWriter: Sendable {
    /// A letter in both of its forms.
    public struct Written: Sendable {
        public let subject: String
        public let text: String
        public let html: String
    }

    private let pages: Pages
    private let page: LivePage<LetterPage>

    /// - Throws: `Diagnostics`, when the template does not fit or a text is missing.
    public init(_ pages: Pages) throws(Diagnostics) {
        self.pages = pages
        page = try pages.page(LetterPage.self)
    }

    /// Every page with its template, for the check at the start and in tests.
    public static var views: [any View.Type] { [LetterPage.self] }

    /// - Parameter team: the name of the team that writes.
    public func write(_ letter: Letter, from team: String, in language: Language) -> Written {
        let text = LetterText(letter, from: team)
        var html: [UInt8] = []
        page.current().render(LetterPage(language: language, text: text, team: team), into: &html)
        let texts = pages.texts
        return Written(
            subject: Self.oneLine(texts.text(text.subject, in: language)),
            text: plainText(text, from: team) { texts.text($0, in: language) },
            html: String(decoding: html, as: UTF8.self)
        )
    }

    /// The form for readers that show text; the link has a line of its own.
    private func plainText(_ letter: LetterText, from team: String, _ say: (any Wording) -> String) -> String
    {
        var parts = letter.paragraphs.map(say)
        if let action = letter.action { parts.append("\(say(action.label)):\n\(action.link)") }
        parts += letter.notes.map(say)
        parts.append("-- \n\(team)")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// A name may hold what a subject may not.
    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
            )
        )
    }
}
