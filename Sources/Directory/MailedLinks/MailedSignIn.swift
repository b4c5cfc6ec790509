public import Crypto
public import Domain
public import Postgres

/// Signs people in by a mailed link, in the browser that asked for it and in no other.
///
/// The link proves as much as a password: a second factor is asked for after it all the same.
public struct MailedSignIn: Sendable {
    /// A link that works.
    public enum Link: Sendable {
        /// It was asked for in this browser, for this address.
        case own(EmailAddress)
        /// It was asked for in another browser, where it stays good.
        case foreign
    }

    /// Somebody whom a link has proved.
    public struct Proved: Sendable {
        public let user: User
        public let login: LoginName
        /// Names the sign-in that goes on.
        public let attempt: String?
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore

    public init(_ database: TeamDatabase) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database)
    }

    /// What the link is to this browser; nil for one that was used, is too old, or never was.
    public func find(
        _ token: LinkToken,
        in browserHash: [UInt8],
        for caller: AccountCaller
    ) async throws(PostgresFailure) -> Link? {
        let link = try await links.find(token, for: .signIn, in: caller.team, at: caller.now)
        return link.map { $0.browserHash == browserHash ? .own($0.email) : .foreign }
    }

    /// Uses the link up, in the browser that asked for it.
    ///
    /// - Returns: nil when it is over or another browser's, or the person is suspended.
    /// - Throws: `PostgresFailure`.
    public func prove(
        _ token: LinkToken,
        in browserHash: [UInt8],
        for caller: AccountCaller
    ) async throws -> Proved? {
        let team = caller.team
        guard case .own = try await find(token, in: browserHash, for: caller) else { return nil }
        return try await database.transaction(in: team) { transaction in
            let link = try await links.take(token, for: .signIn, in: team, at: caller.now, transaction)
            guard let link, let subject = link.subject,
                let user = try await users.find(subject, in: team, transaction), user.suspendedAt == nil
            else { return nil }
            return Proved(user: user, login: LoginName(link.email), attempt: link.attempt)
        }
    }
}
