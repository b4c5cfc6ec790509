public import Bytes
public import Domain
public import Jobs
import Postgres

/// A mail in the console's mailbox, without what it says.
public struct MailboxEntry: Sendable {
    public let id: JobID
    public let at: Timestamp
    /// The team that wrote it.
    public let team: TeamID
    /// `Letter.name`.
    public let letter: String
    public let recipient: EmailAddress
    public let subject: String

    /// What `init(_:)` reads.
    static let columns: SQL = "mail_id, at, of_team, letter, recipient, subject"

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        at = try row.next()
        team = try row.next()
        letter = try row.next()
        recipient = try row.next()
        subject = try row.next()
    }
}

/// The same with everything.
public struct MailboxMail: Sendable {
    public let entry: MailboxEntry
    public let text: String
    public let html: String
    public let link: String?
}

/// A page of the mailbox, newest first.
public struct MailboxPage: Sendable {
    /// A place in the list: the mail a page ended with.
    public struct Cursor: Hashable, Sendable {
        public let at: Timestamp
        public let id: String

        public init(at: Timestamp, id: String) {
            self.at = at
            self.id = id
        }
    }

    public let entries: [MailboxEntry]
    /// Where the next page begins, or nil on the last one.
    public let next: Cursor?
    /// How many match in all, counted up to `MailboxStore.countLimit`.
    public let total: Int
}
