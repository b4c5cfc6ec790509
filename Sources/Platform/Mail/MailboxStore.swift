public import Core
public import Crypto
public import Postgres

/// The console's mailbox, which receives emails while no SMTP server is configured.
///
/// Its rows belong to the system team, whichever team sends: operators read them in place of the mail server.
public struct MailboxStore: Sendable {
    private let database: TeamDatabase
    private let sealer: Sealer

    public init(_ database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        sealer = keyRing.sealer(purpose: "mail in the mailbox")
    }

    /// Stores an email once, also if its job runs again.
    func keep(_ mail: OutgoingMail, _ written: EmailRenderer.Written, as id: JobID, of team: TeamID)
        async throws(PostgresFailure)
    {
        let body = MailboxMail.Body(text: written.text, html: written.html, link: mail.message.link)
        let sealed = sealer.seal(JSON.encode(body), context: Self.place(id))
        try await database.query(
            """
            INSERT INTO mailbox (
                team_id, mail_id, of_team, message, recipient, subject, body_text, body_html, body_sealed
            ) VALUES (
                \(TeamID.system), \(id), \(team), \(mail.message.name), \(mail.recipient), \(written.subject), '', '',
                \(sealed)
            )
            ON CONFLICT DO NOTHING
            """, in: .system)
    }

    /// Returns up to `limit` emails, newest first, starting after `cursor` if given.
    ///
    /// - Parameter search: the beginning of a recipient address; case does not matter.
    public func page(to search: String? = nil, after cursor: ListCursor? = nil, limit: Int)
        async throws(PostgresFailure) -> Page<MailboxEntry>
    {
        let matching: SQL = "team_id = \(TeamID.system) \(Self.matching(search))"
        let rows = try await database.search(
            """
            SELECT (
                SELECT count(*) FROM (
                    SELECT FROM mailbox WHERE \(matching)
                    ORDER BY at DESC, mail_id DESC LIMIT \(Page<MailboxEntry>.countLimit + 1)
                ) AS counted
            ), page.mail_id IS NOT NULL, \(MailboxEntry.columns)
            FROM (VALUES (1)) AS one (row) LEFT JOIN (
                SELECT \(MailboxEntry.columns) FROM mailbox
                WHERE \(matching) \(Self.following(cursor))
                ORDER BY at DESC, mail_id DESC LIMIT \(limit + 1)
            ) AS page ON true
            ORDER BY at DESC, mail_id DESC
            """, in: .system)
        return try Page(rows, limit: limit, read: MailboxEntry.init) { ListCursor($0.at, $0.id.rawValue) }
    }

    /// Returns one email with its bodies and link, or nil.
    public func find(_ id: JobID) async throws(PostgresFailure) -> MailboxMail? {
        let rows = try await database.query(
            """
            SELECT \(MailboxEntry.columns), body_text, body_html, link, body_sealed
            FROM mailbox WHERE team_id = \(TeamID.system) AND mail_id = \(id)
            """, in: .system)
        guard var row = rows.first else { return nil }
        let entry = try MailboxEntry(&row)
        let clear = MailboxMail.Body(text: try row.next(), html: try row.next(), link: try row.next())
        // Earlier servers stored mail in clear.
        guard let sealed: [UInt8] = try row.next() else { return MailboxMail(entry: entry, body: clear) }
        guard let json = sealer.open(sealed, context: Self.place(id)) else { return nil }
        do { return MailboxMail(entry: entry, body: try JSON.decode(MailboxMail.Body.self, from: json)) } catch {
            return nil
        }
    }

    private static func place(_ id: JobID) -> [String] {
        [TeamID.system.rawValue, "mailbox", id.rawValue, "body_sealed"]
    }

    private static func matching(_ search: String?) -> SQL {
        // PostgreSQL rejects NUL in text, and no address contains one.
        guard let search = search?.filter({ $0 != "\0" }), !search.isEmpty else { return "" }
        return """
            AND recipient_key >= lower(\(search)) AND recipient_key < lower(\(search)) || chr(1114111)
            """
    }

    private static func following(_ cursor: ListCursor?) -> SQL {
        guard let cursor else { return "" }
        return "AND (at, mail_id) < (\(cursor.at), \(cursor.id))"
    }
}

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
    static let columns: SQL = "mail_id, at, of_team, message, recipient, subject"

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
    public let body: Body

    /// The part that holds secrets, and is sealed.
    public struct Body: Codable, Sendable {
        public let text: String
        public let html: String
        public let link: String?
    }
}
