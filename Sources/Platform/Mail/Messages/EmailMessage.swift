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
    ///   - inviter: the name of the member who invites.
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

/// A name chosen by a member, sanitized for an email to a recipient who may not know the member.
///
/// Such a name may carry an advertisement or a phishing link. The result is one line of at most `maximumLength`
/// characters without anything that mail clients turn into a link.
public struct QuotedName: Sendable, CustomStringConvertible {
    /// Maximum length, in characters.
    static let maximumLength = 60

    public let description: String

    /// - Parameter fallback: the result if nothing of `name` is left.
    public init(_ name: String, else fallback: String = "Pippin") {
        let line = name.unicodeScalars.prefix(400).filter { !$0.isIgnored }.map(Self.printable)
        let words = line.split(separator: " ").compactMap { Self.word(Array($0)) }
        let text = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        let short = text.count > Self.maximumLength ? text.prefix(Self.maximumLength - 1) + "…" : text[...]
        description = short.isEmpty ? fallback : String(short)
    }

    /// Replaces by a space every character that breaks the line or hides parts of it, such as control characters.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
            .unassigned:
            " "
        default: scalar
        }
    }

    /// Removes from a word what makes it a link: URLs and email addresses entirely, host names after their first label.
    ///
    /// Works on scalars because a combining mark after a full stop makes it another `Character`, but mail clients that
    /// detect links still see the full stop.
    private static func word(_ word: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let plain = word.map(Self.plain)
        guard !plain.contains("@"), !plain.contains("/"), !plain.contains("\\") else { return nil }
        let isOfWeb = plain.indices.contains { plain[$0...].prefix(4).elementsEqual("www.".unicodeScalars) }
        guard !isOfWeb else { return nil }
        let labels = plain.split(separator: ".", omittingEmptySubsequences: false)
        // Initials and a full stop at the end are not host names; `a.b.example` is one, as is `a.example`.
        guard labels.dropFirst().contains(where: { $0.count { !$0.isMark } > 1 }) else { return word }
        return labels[0].isEmpty ? nil : Array(word.prefix(labels[0].count))
    }

    /// Maps a character to the delimiter or `w` that browsers read in its place in an address (UTS #46).
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "。", "．", "｡": "."
        case "／", "⁄", "∕": "/"
        case "＼": "\\"
        case "＠", "﹫": "@"
        case "W", "Ｗ", "ｗ": "w"
        default: scalar
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is invisible, such as joiners and variation selectors: an address without it is the same.
    fileprivate var isIgnored: Bool { properties.isDefaultIgnorableCodePoint }

    /// Whether the scalar is a nonspacing mark, which combines with the character before it.
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }
}
