public import Core
public import Templates

/// Content of an email by kind, before it is rendered in a language.
public enum EmailMessage: Hashable, Sendable {
    /// A link that confirms the recipient's email address.
    case verification(link: String, until: Timestamp)
    /// A link that opens the form for a new password.
    case passwordReset(link: String, until: Timestamp)
    /// A link that signs the recipient in once.
    case signInLink(link: String, until: Timestamp)
    /// A notification of a sign-in from a browser without an earlier sign-in.
    ///
    /// - Parameters:
    ///   - browser: the browser as pages show it, such as `Firefox on Linux`.
    ///   - link: the page that lists the recipient's sessions and ends them.
    case newSignIn(at: Timestamp, browser: String, ip: String, link: String)
    /// An invitation to join a team in the console.
    ///
    /// - Parameters:
    ///   - inviter: the name of the member who invites; empty for an operator's registry file.
    ///   - team: the name of the team; the console sends the email, not the team.
    case invitation(inviter: String, team: String, link: String, until: Timestamp)
    /// An invitation to create a user account with the team.
    case accountInvitation(link: String, until: Timestamp)
    /// Text from the caller, already in the recipient's language.
    case plain(subject: String, paragraphs: [String])
}

extension EmailMessage {
    /// Name of the kind in lists, in stored jobs and in the log.
    public var name: String {
        switch self {
        case .verification: "verification"
        case .passwordReset: "password-reset"
        case .signInLink: "sign-in-link"
        case .newSignIn: "new-sign-in"
        case .invitation: "invitation"
        case .accountInvitation: "account-invitation"
        case .plain: "plain"
        }
    }

    /// URL of the email's action, if it has one.
    var link: String? {
        switch self {
        case .verification(let link, _), .passwordReset(let link, _), .newSignIn(_, _, _, let link),
            .invitation(_, _, let link, _), .accountInvitation(let link, _), .signInLink(let link, _):
            link
        case .plain: nil
        }
    }

    /// Time at which the link expires; the email is not sent after it.
    var until: Timestamp? {
        switch self {
        case .verification(_, let until), .passwordReset(_, let until), .invitation(_, _, _, let until),
            .accountInvitation(_, let until), .signInLink(_, let until):
            until
        case .newSignIn, .plain: nil
        }
    }
}

/// The HTML part of an email.
public struct EmailMessagePage: View {
    public static let template = "mail/message"
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
