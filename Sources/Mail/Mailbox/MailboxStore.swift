public import Domain
public import Jobs
public import Postgres

/// The console's mailbox, where mail lands while no mail server is configured.
///
/// It belongs to the system team, whatever team wrote: operators read it in the mail server's place.
public struct MailboxStore: Sendable {
    /// Beyond this, lists say "more than".
    public static let countLimit = 1000
    /// How long a mail is kept.
    static let life = Duration.seconds(30 * 86_400)
    /// Mails removed by one statement: each has its bodies, and a statement has its time.
    private static let purgeBatch = 500

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Keeps a mail, once however often its job is tried.
    func keep(
        _ mail: OutgoingMail,
        _ written: LetterWriter.Written,
        as id: JobID,
        of team: TeamID
    ) async throws(PostgresFailure) {
        try await database.query(
            """
            INSERT INTO mailbox (team_id, mail_id, of_team, letter, recipient, subject, body_text, body_html, link)
            VALUES (
                \(TeamID.system), \(id), \(team), \(mail.letter.name), \(mail.recipient), \(written.subject),
                \(written.text), \(written.html), \(mail.letter.link)
            )
            ON CONFLICT DO NOTHING
            """,
            in: .system
        )
    }

    /// Up to `limit` mails, newest first, those after `cursor` when there is one.
    ///
    /// - Parameter search: the beginning of an address, in any case.
    public func page(
        to search: String? = nil,
        after cursor: MailboxPage.Cursor? = nil,
        limit: Int
    ) async throws(PostgresFailure) -> MailboxPage {
        let matching: SQL = "team_id = \(TeamID.system) \(Self.matching(search))"
        let rows = try await database.search(
            """
            SELECT (
                SELECT count(*) FROM (
                    SELECT FROM mailbox WHERE \(matching)
                    ORDER BY at DESC, mail_id DESC LIMIT \(Self.countLimit + 1)
                ) AS counted
            ), page.mail_id IS NOT NULL, \(MailboxEntry.columns)
            FROM (VALUES (1)) AS one (row) LEFT JOIN (
                SELECT \(MailboxEntry.columns) FROM mailbox
                WHERE \(matching) \(Self.following(cursor))
                ORDER BY at DESC, mail_id DESC LIMIT \(limit + 1)
            ) AS page ON true
            ORDER BY at DESC, mail_id DESC
            """,
            in: .system
        )
        var total = 0
        var found: [MailboxEntry] = []
        for var row in rows {
            total = try row.next()
            if try row.next(Bool.self) { found.append(try MailboxEntry(&row)) }
        }
        let entries = Array(found.prefix(limit))
        let last = found.count > limit ? entries.last : nil
        return MailboxPage(
            entries: entries,
            next: last.map { MailboxPage.Cursor(at: $0.at, id: $0.id.rawValue) },
            total: total
        )
    }

    /// One mail with everything, or nil.
    public func find(_ id: JobID) async throws(PostgresFailure) -> MailboxMail? {
        let rows = try await database.query(
            """
            SELECT \(MailboxEntry.columns), body_text, body_html, link
            FROM mailbox WHERE team_id = \(TeamID.system) AND mail_id = \(id)
            """,
            in: .system
        )
        guard var row = rows.first else { return nil }
        return MailboxMail(
            entry: try MailboxEntry(&row),
            text: try row.next(),
            html: try row.next(),
            link: try row.next()
        )
    }

    /// Removes what was kept long enough, a batch at a time.
    public func purge() async throws(PostgresFailure) {
        while try await purgeOldest() == Self.purgeBatch {}
    }

    /// - Returns: how many mails went.
    private func purgeOldest() async throws(PostgresFailure) -> Int {
        let rows = try await database.query(
            """
            WITH purged AS (
                DELETE FROM mailbox WHERE team_id = \(TeamID.system) AND mail_id = ANY (ARRAY(
                    SELECT mail_id FROM mailbox
                    WHERE team_id = \(TeamID.system)
                        AND at < now() - \(Int(Self.life.components.seconds)) * interval '1 second'
                    ORDER BY at, mail_id LIMIT \(Self.purgeBatch)
                ))
                RETURNING 1
            )
            SELECT count(*) FROM purged
            """,
            in: .system
        )
        guard var row = rows.first else { return 0 }
        return try row.next()
    }

    private static func matching(_ search: String?) -> SQL {
        // NUL is in no address, and PostgreSQL takes it in no text.
        guard let search = search?.filter({ $0 != "\0" }), !search.isEmpty else { return "" }
        return """
            AND recipient_key >= lower(\(search)) AND recipient_key < lower(\(search)) || chr(1114111)
            """
    }

    private static func following(_ cursor: MailboxPage.Cursor?) -> SQL {
        guard let cursor else { return "" }
        return "AND (at, mail_id) < (\(cursor.at), \(cursor.id))"
    }
}
