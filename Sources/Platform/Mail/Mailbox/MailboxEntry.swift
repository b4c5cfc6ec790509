public import Core
import Postgres

/// An email in the console's mailbox, without its body.
public struct MailboxEntry: Sendable {
    public let id: JobID
    public let at: Timestamp
    /// The sending team.
    public let team: TeamID
    /// Kind of the email, from `EmailMessage.name`.
    public let message: String
    public let recipient: EmailAddress
    public let subject: String

    /// Columns in the order that `init(_:)` reads them.
    static let columns: SQL = "mail_id, at, of_team, letter, recipient, subject"

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        at = try row.next()
        team = try row.next()
        message = try row.next()
        recipient = try row.next()
        subject = try row.next()
    }
}

/// An email in the console's mailbox, with its bodies and link.
public struct MailboxMail: Sendable {
    public let entry: MailboxEntry
    public let text: String
    public let html: String
    public let link: String?
}
