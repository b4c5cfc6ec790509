import Core
import Crypto
import Platform
import Postgres

/// Mailed links of a team, stored under the hashes of their tokens.
struct MailedLinkStore: Sendable {
    let database: TeamDatabase

    private static let columns: SQL = """
        purpose, sub, email, interaction_id, browser_hash, request_query, given_name, family_name, password_hash,
        invitation_id
        """

    /// Stores a link that is about to be mailed.
    ///
    /// - Returns: expiry of the link.
    func insert(
        _ link: MailedLink, _ token: LinkToken, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Timestamp {
        let end = now + link.life
        try await transaction.query(
            """
            INSERT INTO mailed_links (
                team_id, token_hash, purpose, sub, email, given_name, family_name, password_hash, interaction_id,
                browser_hash, request_query, expires_at
            ) VALUES (
                \(team), \(token.hash), \(link.purpose), \(link.subject), \(link.email), \(link.name.given),
                \(link.name.family), \(link.password?.text), \(link.interaction), \(link.browserHash),
                \(link.requestQuery), \(end)
            )
            """)
        return end
    }

    /// Returns the link while it is valid, without using it up.
    func find(_ token: LinkToken, for purpose: MailedLinkPurpose, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> MailedLink?
    {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM mailed_links
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND purpose = \(purpose)
                AND expires_at > \(now)
            """, in: team)
        return try rows.firstValue(MailedLink.init)
    }

    /// Deletes and returns the link, so that only one of two concurrent requests gets it; the user's others of its
    /// purpose end with it.
    ///
    /// The user is locked first, because a suspension deletes the user's links while it holds that lock.
    func take(
        _ token: LinkToken, for purpose: MailedLinkPurpose, in team: TeamID, at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> MailedLink? {
        let person: SQL = "(SELECT sub FROM mailed_links WHERE team_id = \(team) AND token_hash = \(token.hash))"
        try await transaction.query(UserStore.lock(person, in: team))
        let rows = try await transaction.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(team) AND token_hash = \(token.hash) AND purpose = \(purpose)
                AND expires_at > \(now)
            RETURNING \(Self.columns)
            """)
        let link = try rows.firstValue(MailedLink.init)
        if let subject = link?.subject { try await removeAll(for: purpose, of: subject, in: team, transaction) }
        return link
    }

    /// Deletes the links that a new one replaces: those of its purpose that the same browser, or the user, asked for.
    ///
    /// What another browser asked for stays valid until one is used; otherwise an unauthenticated request could delete
    /// the link that the user is waiting for.
    func removeEarlier(than link: MailedLink, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    { try await removeAll(for: link.purpose, of: link.subject, askedIn: link.browserHash, in: team, transaction) }

    /// Locks the user and deletes the user's links of one purpose.
    ///
    /// - Parameter browserHash: deletes only links requested by that browser; nil for all.
    private func removeAll(
        for purpose: MailedLinkPurpose, of subject: Subject?, askedIn browserHash: [UInt8]? = nil, in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        // Runs without a user too, so that the duration does not reveal whether one exists.
        let person: SQL = "\(subject)"
        try await transaction.query(UserStore.lock(person, in: team))
        try await transaction.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(team) AND sub = \(subject) AND purpose = \(purpose)
                AND (\(browserHash)::bytea IS NULL OR browser_hash = \(browserHash))
            """)
    }

    /// Statement that deletes all mailed links of a user.
    ///
    /// It runs after each change of a credential: an earlier link may have been requested by a third party, or its
    /// mailbox may no longer be the user's.
    static func deletion(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM mailed_links WHERE team_id = \(team) AND sub = \(subject)"
    }
}
