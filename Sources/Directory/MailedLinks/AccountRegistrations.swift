import Audit
import Bytes
public import Crypto
public import Domain
public import Postgres

/// Makes accounts for people who ask for one, once they have shown that mail reaches them.
///
/// An address that is known takes the same statements, the same hash and the same answer as one that is not; only the
/// mail differs.
public struct AccountRegistrations: Sendable {
    /// Registrations from one address in an hour, and mails to one account.
    static let perAddress = 20
    static let mailsPerAccount = 3
    static let window = Duration.seconds(3600)

    /// What came of the form.
    public enum Outcome: Sendable {
        /// A mail is on its way, if it may be.
        case mailed
        case limited(retryAfter: Duration)
        case busy
    }

    /// What a person typed, within the rules.
    public struct Form: Sendable {
        public let email: EmailAddress
        public let name: PersonName
        public let password: NewPassword
        /// Names the sign-in that is to go on.
        public let attempt: String?

        public init(email: EmailAddress, name: PersonName, password: NewPassword, attempt: String?) {
            self.email = email
            self.name = name
            self.password = password
            self.attempt = attempt
        }
    }

    /// An account that was just made.
    public struct Made: Sendable {
        public let user: User
        public let login: LoginName
        public let attempt: String?
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore
    private let logins: LoginNameStore
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
        users = UserStore(database, random: random)
        logins = LoginNameStore(database: database)
        limits = LimitStore(database)
        self.hasher = hasher
        self.post = post
        self.random = random
    }

    /// Mails a link that makes the account, or says to a known address that it has one.
    ///
    /// - Throws: `PostgresFailure`.
    public func begin(_ form: Form, for caller: AccountCaller) async throws -> Outcome {
        let (team, now) = (caller.team, caller.now)
        let address = LimitSubject.address("registration", caller.origin.ip)
        if let wait = try await limits.charge(
            address,
            limit: Self.perAddress,
            window: Self.window,
            in: team,
            at: now
        ) {
            return .limited(retryAfter: wait)
        }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(form.password)
        } catch {
            return .busy
        }
        let login = LoginName(form.email)
        let isKnown = try await logins.isTaken(login, in: team)
        let wait = try await limits.charge(
            .account("mail", login.rawValue),
            limit: Self.mailsPerAccount,
            window: Self.window,
            in: team,
            at: now
        )
        guard wait == nil else { return .mailed }
        let link = MailedLink(
            .registration,
            email: form.email,
            attempt: form.attempt,
            name: form.name,
            password: hash
        )
        try await database.transaction(in: team) { transaction in
            let token = LinkToken(random: random)
            // Kept for a known address too, under a token that nobody is sent.
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail = isKnown ? .known : .confirmation(token, .registration, until: end)
            try await post.send(mail, form.email, caller.language, team, transaction)
        }
        return .mailed
    }

    /// Whether the link still works.
    public func isOpen(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> Bool {
        try await links.find(token, for: .registration, in: caller.team, at: caller.now) != nil
    }

    /// Makes the account; nil when the link is over, or the address has become another's meanwhile.
    ///
    /// - Throws: `PostgresFailure`.
    public func confirm(_ token: LinkToken, for caller: AccountCaller) async throws -> Made? {
        let team = caller.team
        do {
            return try await database.transaction(in: team) { transaction in
                let link = try await links.take(
                    token,
                    for: .registration,
                    in: team,
                    at: caller.now,
                    transaction
                )
                guard let link else { return nil }
                let new = NewUser(
                    name: link.name,
                    email: link.email,
                    isEmailVerified: true,
                    password: link.password
                )
                let subject = try await users.create(
                    new,
                    in: team,
                    by: .system("registration"),
                    from: caller.origin,
                    transaction
                )
                let user = try await users.find(subject, in: team, transaction)
                return user.map { Made(user: $0, login: LoginName(link.email), attempt: link.attempt) }
            }
        } catch UserStore.Failure.loginTaken {
            return nil
        }
    }
}
