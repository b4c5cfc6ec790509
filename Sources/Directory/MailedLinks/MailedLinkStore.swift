import Bytes
import Crypto
import Domain
import Postgres

/// The mailed links of a team, known by the hashes of their tokens.
struct MailedLinkStore: Sendable {
    let database: TeamDatabase

    private static let columns: SQL = """
        purpose, sub, email, attempt_id, browser_hash, given_name, family_name, password_hash, invitation_id
        """

    /// Keeps a link that is about to be mailed.
    ///
    /// - Returns: until when it works.
    func insert(
        _ link: MailedLink,
        _ token: LinkToken,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Timestamp {
        let end = now + link.life
        try await transaction.query(
            """
            INSERT INTO mailed_links (
                team_id, token_hash, purpose, sub, email, given_name, family_name, password_hash, attempt_id,
                browser_hash, expires_at
            ) VALUES (
                \(team), \(token.hash), \(link.purpose), \(link.subject), \(link.email), \(link.name.given),
                \(link.name.family), \(link.password?.text), \(link.attempt), \(link.browserHash), \(end)
            )
            """
        )
        return end
    }

    /// The link, while it works; it stays good.
    func find(
        _ token: LinkToken,
        for purpose: MailedLinkPurpose,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> MailedLink? {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM mailed_links
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND purpose = \(purpose)
                AND expires_at > \(now)
            """,
            in: team
        )
        return try rows.firstValue(MailedLink.init)
    }

    /// Uses the link up: of two requests one gets it.
    ///
    /// The person first, as wherever something of theirs ends: whoever suspends them ends their links while holding them.
    func take(
        _ token: LinkToken,
        for purpose: MailedLinkPurpose,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> MailedLink? {
        let person: SQL =
            "(SELECT sub FROM mailed_links WHERE team_id = \(team) AND token_hash = \(token.hash))"
        try await transaction.query(UserStore.lock(person, in: team))
        let rows = try await transaction.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND purpose = \(purpose)
                AND expires_at > \(now)
            RETURNING \(Self.columns)
            """
        )
        return try rows.firstValue(MailedLink.init)
    }

    /// Ends the links that one of help to somebody takes the place of.
    ///
    /// One to sign in works in the browser that asked, and takes the place of that browser's alone: else strangers could
    /// end by asking what the person waits for.
    func removeEarlier(
        than link: MailedLink,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let isSignIn = link.purpose == .signIn
        try await removeAll(
            for: isSignIn ? .signIn : .password,
            of: link.subject,
            askedIn: isSignIn ? link.browserHash : nil,
            in: team,
            transaction
        )
    }

    /// Ends the other links of that kind a person has, who is locked first: the newest counts.
    ///
    /// - Parameter browserHash: those that were asked for in that browser alone; nil for all.
    func removeAll(
        for purpose: MailedLinkPurpose,
        of subject: Subject?,
        askedIn browserHash: [UInt8]? = nil,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        // Run for nobody, too: how long it takes does not tell whether there is somebody.
        let person: SQL = "\(subject)"
        try await transaction.query(UserStore.lock(person, in: team))
        try await transaction.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(team) AND sub = \(subject) AND purpose = \(purpose)
                AND (\(browserHash)::bytea IS NULL OR browser_hash = \(browserHash))
            """
        )
    }

    /// The statement that ends every link a person has: once a credential has changed, no link from before, which
    /// somebody else may have asked for or whose mailbox may be another's by now, gives the account away.
    static func deletion(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM mailed_links WHERE team_id = \(team) AND sub = \(subject)"
    }
}
