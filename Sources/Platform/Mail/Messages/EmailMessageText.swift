public import Core
public import Templates

/// Subject and body of an email as messages that are not yet in a language.
struct EmailMessageText: Sendable {
    let subject: any LocalizedTextConvertible
    let paragraphs: [any LocalizedTextConvertible]
    /// Label and URL of the action, if the email has one.
    let action: (label: any LocalizedTextConvertible, link: String)?
    /// Paragraphs after the action, such as the expiry of the link.
    let notes: [any LocalizedTextConvertible]

    /// - Parameter team: the name of the sending team.
    init(_ message: EmailMessage, from team: String) {
        let team = QuotedName(team).description
        switch message {
        case .verification(let link, let until):
            subject = Message("mail.verification.subject", ["team": team])
            paragraphs = [Message("mail.verification.body", ["team": team])]
            action = (Message("mail.verification.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.verification.ignore")]
        case .passwordReset(let link, let until):
            subject = Message("mail.password-reset.subject", ["team": team])
            paragraphs = [Message("mail.password-reset.body", ["team": team])]
            action = (Message("mail.password-reset.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.password-reset.ignore")]
        case .signInLink(let link, let until):
            subject = Message("mail.sign-in-link.subject", ["team": team])
            paragraphs = [Message("mail.sign-in-link.body", ["team": team])]
            action = (Message("mail.sign-in-link.action"), link)
            notes = [
                Message("mail.message.until", ["until": until]), Message("mail.sign-in-link.browser"),
                Message("mail.sign-in-link.ignore"),
            ]
        case .newSignIn(let moment, let browser, let ip, let link):
            subject = Message("mail.new-sign-in.subject", ["team": team])
            paragraphs = [
                browser.isEmpty
                    ? Message("mail.new-sign-in.body-unknown", ["team": team])
                    : Message("mail.new-sign-in.body", ["team": team, "browser": browser]),
                Message("mail.new-sign-in.circumstances", ["time": moment, "ip": ip]),
            ]
            action = (Message("mail.new-sign-in.action"), link)
            notes = [Message("mail.new-sign-in.ignore")]
        case .invitation(let inviter, let invitingTeam, let link, let until):
            let inviter = QuotedName(inviter).description
            let invitingTeam = QuotedName(invitingTeam).description
            subject = Message("mail.invitation.subject", ["team": invitingTeam])
            paragraphs = [Message("mail.invitation.body", ["inviter": inviter, "team": invitingTeam])]
            action = (Message("mail.invitation.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.invitation.ignore")]
        case .accountInvitation(let link, let until):
            subject = Message("mail.account-invitation.subject", ["team": team])
            paragraphs = [Message("mail.account-invitation.body", ["team": team])]
            action = (Message("mail.account-invitation.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.account-invitation.ignore")]
        case .plain(let subject, let paragraphs):
            self.subject = subject
            self.paragraphs = paragraphs
            action = nil
            notes = []
        }
    }
}

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
