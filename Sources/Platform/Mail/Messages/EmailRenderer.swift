public import Core
public import Templates

/// Renders emails as plain text and HTML.
public struct EmailRenderer: Sendable {
    /// A rendered email: subject, plain text and HTML.
    public struct Written: Sendable {
        public let subject: String
        public let text: String
        public let html: String
    }

    private let pages: Pages
    private let page: LivePage<EmailMessagePage>

    /// - Throws: `Diagnostics` if the template does not match the page's fields or a text is missing.
    public init(_ pages: Pages) throws(Diagnostics) {
        self.pages = pages
        page = try pages.page(EmailMessagePage.self)
    }

    /// Every page of this module, for the template check at start and in tests.
    public static var views: [any View.Type] { [EmailMessagePage.self] }

    /// - Parameter team: the name of the sending team.
    public func write(_ message: EmailMessage, from team: String, in language: Language) -> Written {
        let text = EmailMessageText(message, from: team)
        var html: [UInt8] = []
        page.current().render(EmailMessagePage(language: language, text: text, team: team), into: &html)
        let texts = pages.texts
        return Written(
            subject: Self.oneLine(texts.text(text.subject, in: language)),
            text: plainText(text, from: team) { texts.text($0, in: language) },
            html: String(decoding: html, as: UTF8.self))
    }

    /// Returns the plain-text part, with the link on a line of its own.
    private func plainText(
        _ message: EmailMessageText, from team: String, _ say: (any LocalizedTextConvertible) -> String
    ) -> String {
        var parts = message.paragraphs.map(say)
        if let action = message.action { parts.append("\(say(action.label)):\n\(action.link)") }
        parts += message.notes.map(say)
        parts.append("-- \n\(team)")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Replaces control characters by spaces: names may hold them, a `Subject` field must not.
    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
