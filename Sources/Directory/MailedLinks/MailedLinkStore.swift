import Core
public import Crypto
public import Platform
public import Postgres

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

    /// Deletes and returns the link, so that only one of two concurrent requests gets it.
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
        return try rows.firstValue(MailedLink.init)
    }

    /// Deletes the links that a new recovery link replaces.
    ///
    /// A sign-in link works only in the requesting browser and replaces only links of that browser; otherwise an
    /// unauthenticated request could delete the link that the user is waiting for.
    func removeEarlier(than link: MailedLink, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        let isSignIn = link.purpose == .signIn
        try await removeAll(
            for: isSignIn ? .signIn : .password, of: link.subject, askedIn: isSignIn ? link.browserHash : nil, in: team,
            transaction)
    }

    /// Locks the user and deletes the user's links of one purpose, because only the newest is valid.
    ///
    /// - Parameter browserHash: deletes only links requested by that browser; nil for all.
    func removeAll(
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

/// Signs users in by a mailed link, only in the browser that requested it.
///
/// The link counts as much as a password: a second factor is still requested after it.
public struct MailedSignIn: Sendable {
    /// Valid link, as seen by the current browser.
    public enum Link: Sendable {
        /// The link was requested in this browser, for this address.
        case own(EmailAddress)
        /// The link was requested in another browser, where it stays valid.
        case foreign
    }

    /// User authenticated by a link.
    public struct Proved: Sendable {
        public let user: User
        public let login: LoginName
        /// ID of the interaction to continue.
        public let interaction: String?
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore

    public init(_ database: TeamDatabase) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database)
    }

    /// Status of the link in this browser; nil for a link that was used, has expired or never existed.
    public func find(_ token: LinkToken, in browserHash: [UInt8], for caller: AccountCaller)
        async throws(PostgresFailure) -> Link?
    {
        let link = try await links.find(token, for: .signIn, in: caller.team, at: caller.now)
        return link.map { $0.browserHash == browserHash ? .own($0.email) : .foreign }
    }

    /// Uses the link up, in the browser that requested it.
    ///
    /// - Returns: nil if the link is invalid or another browser's, or the user is suspended.
    /// - Throws: `PostgresFailure`.
    public func prove(_ token: LinkToken, in browserHash: [UInt8], for caller: AccountCaller) async throws -> Proved? {
        let team = caller.team
        guard case .own = try await find(token, in: browserHash, for: caller) else { return nil }
        return try await database.transaction(in: team) { transaction in
            let link = try await links.take(token, for: .signIn, in: team, at: caller.now, transaction)
            guard let link, let subject = link.subject, let user = try await users.find(subject, in: team, transaction),
                user.suspendedAt == nil
            else { return nil }
            return Proved(user: user, login: LoginName(link.email), interaction: link.interaction)
        }
    }
}
