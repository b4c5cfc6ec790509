public import Core

/// An email with its recipient, language and sending team.
public struct OutgoingMail: Sendable {
    public let message: EmailMessage
    public let recipient: EmailAddress
    public let language: Language
    /// Name of the sending team; `Pippin` for the console.
    public let team: String

    public init(_ message: EmailMessage, to recipient: EmailAddress, in language: Language, from team: String) {
        self.message = message
        self.recipient = recipient
        self.language = language
        // Mail clients show it as the name of the sender.
        self.team = QuotedName(team).description
    }
}

/// The job that sends an email.
///
/// The payload is encrypted because the link in an email is a secret until the recipient opens it.
struct SendMail: JobKind {
    static let kind = "mail.send"
    static var policy: JobPolicy {
        var policy = JobPolicy()
        // Longer than a delivery may take.
        (policy.priority, policy.timeout) = (.urgent, .seconds(720))
        return policy
    }

    /// Kind of the email, for operators who inspect the queue.
    let message: String
    /// `MailPayload` as JSON, encrypted, in base64url.
    let sealed: String
}

/// An email as stored in its job.
struct MailPayload: Codable {
    let message: StoredEmail
    let recipient: String
    let language: String
    let team: String

    init(_ mail: OutgoingMail) {
        message = StoredEmail(mail.message)
        recipient = mail.recipient.rawValue
        language = mail.language.tag
        team = mail.team
    }

    /// The email, or nil if this version of Pippin cannot read it.
    var mail: OutgoingMail? {
        guard let message = message.emailMessage, let recipient = EmailAddress(rawValue: recipient),
            let language = Language(rawValue: language)
        else { return nil }
        return OutgoingMail(message, to: recipient, in: language, from: team)
    }
}
