public import Crypto
public import Platform
public import Postgres

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
