import Audit
import Bytes
public import Crypto
public import Domain
public import Postgres

/// Gives a person another e-mail address, once they have shown that mail to it reaches them.
public struct EmailChange: Sendable {
    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore
    private let logins: LoginNameStore
    private let limits: LimitStore
    private let post: AccountPost
    private let random: RandomSource

    public init(_ database: TeamDatabase, post: AccountPost, random: RandomSource = .system) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database)
        logins = LoginNameStore(database: database)
        limits = LimitStore(database)
        self.post = post
        self.random = random
    }

    /// Mails a link to the new address, or says to one that is somebody else's that it is.
    ///
    /// - Returns: how long to wait, when too many mails were asked for.
    /// - Throws: `PostgresFailure`.
    public func begin(_ subject: Subject, to email: EmailAddress, for caller: AccountCaller) async throws
        -> Duration?
    {
        let (team, now) = (caller.team, caller.now)
        let wait = try await limits.charge(
            .account("mail", subject.rawValue),
            limit: AccountRegistrations.mailsPerAccount,
            window: AccountRegistrations.window,
            in: team,
            at: now
        )
        if let wait { return wait }
        let isTaken = try await logins.isTaken(LoginName(email), in: team, exceptBy: subject)
        try await database.transaction(in: team) { transaction in
            try await links.removeAll(for: .email, of: subject, in: team, transaction)
            let token = LinkToken(random: random)
            let link = MailedLink(.email, subject: subject, email: email)
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail = isTaken ? .known : .confirmation(token, .email, until: end)
            try await post.send(mail, email, caller.language, team, transaction)
        }
        return nil
    }

    /// Whether the link still works.
    public func isOpen(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> Bool {
        try await links.find(token, for: .email, in: caller.team, at: caller.now) != nil
    }

    /// Changes the address, and the login name where it was the old address; tells the old one.
    ///
    /// - Returns: false when the link is over, or the address has become another person's login name.
    /// - Throws: `PostgresFailure`.
    public func confirm(_ token: LinkToken, for caller: AccountCaller) async throws -> Bool {
        let team = caller.team
        return try await database.transaction(in: team) { transaction in
            let link = try await links.take(token, for: .email, in: team, at: caller.now, transaction)
            guard let link, let subject = link.subject,
                let user = try await users.find(subject, in: team, transaction)
            else { return false }
            let isFree = try await logins.rename(
                user.email.map(LoginName.init),
                to: LoginName(link.email),
                of: subject,
                in: team,
                transaction
            )
            guard isFree else { return false }
            try await users.setEmail(link.email, of: subject, in: team, transaction)
            try await transaction.query(MailedLinkStore.deletion(of: subject, in: team))
            // The addresses themselves stay out of the log, which outlives them.
            try await AuditEvent(
                "email.changed",
                by: .user(subject, of: team),
                on: .user(subject),
                from: caller.origin
            )
            .record(in: team, transaction)
            if let old = user.email, old != link.email {
                try await post.send(.emailChanged, old, caller.language, team, transaction)
            }
            return true
        }
    }
}
