import Audit
import Bytes
public import Crypto
public import Domain
public import Postgres

/// Lets people who forgot their password choose another one, by a mailed link.
public struct PasswordRecovery: Sendable {
    /// What came of a new password.
    public enum Outcome: Sendable {
        case changed
        /// The link was used, is too old, or never was.
        case over
        case refused(NewPassword.Problem)
        case busy
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let passwords: PasswordStore
    private let users: UserStore
    private let limits: LimitStore
    private let hasher: PasswordHasher
    private let post: AccountPost
    private let random: RandomSource

    public init(
        _ database: TeamDatabase,
        hasher: PasswordHasher,
        post: AccountPost,
        random: RandomSource = .system
    ) {
        self.database = database
        links = MailedLinkStore(database: database)
        passwords = PasswordStore(database)
        users = UserStore(database)
        limits = LimitStore(database)
        self.hasher = hasher
        self.post = post
        self.random = random
    }

    /// Mails a link to the account of that login name, if there is one; nobody learns whether.
    ///
    /// An account that does not exist takes the same statements as one that does.
    ///
    /// - Returns: how long to wait, for an address that asked too often; nil when the mail is on its way, if any.
    /// - Throws: `PostgresFailure`.
    public func begin(_ name: String, attempt: String?, for caller: AccountCaller) async throws -> Duration? {
        let (team, now) = (caller.team, caller.now)
        let wait = try await limits.charge(
            .address("recovery", caller.origin.ip),
            limit: AccountRegistrations.perAddress,
            window: AccountRegistrations.window,
            in: team,
            at: now
        )
        if let wait { return wait }
        let login = LoginName(rawValue: name) ?? .nobody
        let mailsLeft = try await limits.charge(
            .account("mail", login.rawValue),
            limit: AccountRegistrations.mailsPerAccount,
            window: AccountRegistrations.window,
            in: team,
            at: now
        )
        guard mailsLeft == nil else { return nil }
        let link = MailedLink.password(
            of: try await passwords.credential(for: login, in: team)?.user,
            attempt: attempt
        )
        try await database.transaction(in: team) { transaction in
            try await links.removeAll(for: .password, of: link.subject, in: team, transaction)
            let token = LinkToken(random: random)
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail =
                link.subject == nil ? .decoy(token, until: end) : .passwordReset(token, until: end)
            try await post.send(mail, link.email, caller.language, team, transaction)
        }
        return nil
    }

    /// Whose password the link changes, while it works.
    public func person(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> User? {
        let link = try await links.find(token, for: .password, in: caller.team, at: caller.now)
        guard let subject = link?.subject else { return nil }
        return try await users.find(subject, in: caller.team)
    }

    /// Sets the password and ends all sessions; the link is used up.
    ///
    /// Who has followed a link to an address has shown that it is theirs.
    ///
    /// - Throws: `PostgresFailure`.
    public func change(_ token: LinkToken, to text: String, for caller: AccountCaller) async throws -> Outcome
    {
        let team = caller.team
        guard let user = try await person(token, for: caller) else { return .over }
        let password: NewPassword
        do throws(NewPassword.Problem) {
            password = try NewPassword(text, email: user.email, login: user.email.map(LoginName.init))
        } catch {
            return .refused(error)
        }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(password)
        } catch {
            return .busy
        }
        return try await database.transaction(in: team) { transaction in
            let link = try await links.take(token, for: .password, in: team, at: caller.now, transaction)
            guard let link, link.subject == user.subject else { return .over }
            _ = try await PasswordStore.set(
                hash,
                for: user.subject,
                in: team,
                by: .user(user.subject, of: team),
                from: caller.origin,
                transaction
            )
            try await users.noteVerified(link.email, of: user.subject, in: team, transaction)
            try await post.send(.passwordChanged, link.email, caller.language, team, transaction)
            return .changed
        }
    }
}
