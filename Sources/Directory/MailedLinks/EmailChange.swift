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
    private let limits: SendingLimits
    private let post: AccountPost
    private let random: RandomSource

    public init(_ database: TeamDatabase, post: AccountPost, random: RandomSource = .system) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database)
        logins = LoginNameStore(database: database)
        limits = SendingLimits(LimitStore(database))
        self.post = post
        self.random = random
    }

    /// Mails a link to the new address, or says to one that is somebody else's that it is.
    ///
    /// - Parameter right: the session in which they ask for it: whoever has another password may have lost that one.
    /// - Returns: how long to wait, when too many mails were asked for.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    public func begin(
        _ subject: Subject,
        to email: EmailAddress,
        by right: SessionRight? = nil,
        for caller: AccountCaller
    ) async throws -> Duration? {
        let (team, now) = (caller.team, caller.now)
        let wait = try await limits.charge(
            .emailChange,
            to: LoginName(email).rawValue,
            by: .account(subject),
            in: team,
            at: now
        )
        if let wait { return wait }
        let isTaken = try await logins.isTaken(LoginName(email), in: team, exceptBy: subject)
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            try await links.removeAll(for: .email, of: subject, in: team, transaction)
            let token = LinkToken(random: random)
            let link = MailedLink(.email, subject: subject, email: email)
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail = isTaken ? .known : .confirmation(token, .email, until: end)
            try await post.send(mail, email, caller.language, team, transaction)
        }
        return nil
    }

    /// Whose address the link changes, while it works.
    public func person(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure)
        -> Subject?
    {
        try await links.find(token, for: .email, in: caller.team, at: caller.now)?.subject
    }

    /// Changes the address, and the login name where it was the old address; tells the old one.
    ///
    /// - Parameter right: the session that asks. That a stranger follows the link shows nothing: they may have been asked by
    ///   mail to confirm an address that somebody else has given as theirs.
    /// - Returns: false when the link is over or another person's, or the address has become another person's login name.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    public func confirm(
        _ token: LinkToken,
        by right: SessionRight,
        for caller: AccountCaller
    ) async throws -> Bool {
        let (team, subject) = (caller.team, right.session.user.subject)
        guard try await person(token, for: caller) == subject else { return false }
        return try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            let link = try await links.take(token, for: .email, in: team, at: caller.now, transaction)
            guard let link, link.subject == subject,
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
