public import Bytes
public import Domain
import Jobs

/// A letter with whom it goes to.
public struct OutgoingMail: Sendable {
    public let letter: Letter
    public let recipient: EmailAddress
    public let language: Language
    /// The name of the team that writes; `Pippin` for the console itself.
    public let team: String

    public init(_ letter: Letter, to recipient: EmailAddress, in language: Language, from team: String) {
        self.letter = letter
        self.recipient = recipient
        self.language = language
        // What the reader sees as the sender.
        self.team = QuotedName(team).description
    }
}

/// The job that sends a mail.
///
/// What a letter links to is a secret until its reader has followed it, so it waits sealed.
struct SendMail: JobKind {
    static let kind = "mail.send"
    static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.priority = .urgent
        return policy
    }

    /// The letter's name, for those who look at the queue.
    let letter: String
    /// `MailPayload` as JSON, sealed, in base64url.
    let sealed: String
}

/// A mail as it waits.
struct MailPayload: Codable {
    let letter: StoredLetter
    let recipient: String
    let language: String
    let team: String

    init(_ mail: OutgoingMail) {
        letter = StoredLetter(mail.letter)
        recipient = mail.recipient.rawValue
        language = mail.language.tag
        team = mail.team
    }

    /// The mail, or nil when this version of Pippin cannot read it.
    var mail: OutgoingMail? {
        guard let letter = letter.letter(from: team), let recipient = EmailAddress(rawValue: recipient),
            let language = Language(rawValue: language)
        else { return nil }
        return OutgoingMail(letter, to: recipient, in: language, from: team)
    }
}
