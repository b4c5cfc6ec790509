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
    /// What came of the form.
    public enum Outcome: Sendable {
        /// A mail is on its way, if it may be.
        case mailed
        case limited(retryAfter: Duration)
        case busy
    }

    /// What a person typed, within the rules, and the browser they typed it in.
    public struct Form: Sendable {
        public let email: EmailAddress
        public let name: PersonName
        public let password: NewPassword
        /// Names the sign-in that is to go on.
        public let attempt: String?
        public let browserHash: [UInt8]

        public init(
            email: EmailAddress,
            name: PersonName,
            password: NewPassword,
            attempt: String?,
            browserHash: [UInt8]
        ) {
            self.email = email
            self.name = name
            self.password = password
            self.attempt = attempt
            self.browserHash = browserHash
        }
    }

    /// An account to be, whose link works.
    public struct Pending: Sendable {
        public let email: EmailAddress
        public let name: PersonName
        /// Whether it is asked about in the browser that registered.
        ///
        /// In any other the person behind the address may be another than the one who registered, and chooses a password
        /// of their own.
        public let isOwn: Bool
    }

    /// What somebody chose who confirms in another browser than the one that registered.
    public struct Choice: Sendable {
        public let name: PersonName
        public let password: NewPassword

        public init(name: PersonName, password: NewPassword) {
            self.name = name
            self.password = password
        }
    }

    /// What came of a confirmation.
    public enum Confirmation: Sendable {
        case made(Made)
        /// The link was used, is too old, or never was, or the address has become another's meanwhile.
        case over
        /// Another browser than the one that registered brought no password.
        case unchosen
        case busy
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
    private let limits: SendingLimits
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
        limits = SendingLimits(LimitStore(database))
        self.hasher = hasher
        self.post = post
        self.random = random
    }

    /// Mails a link that makes the account, or says to a known address that it has one.
    ///
    /// The team's count comes last: one mailbox, typed by however many, takes no more of it than the mails it gets. A known
    /// address takes as much as another, so that the count tells nothing of accounts, and may be told.
    ///
    /// - Throws: `PostgresFailure`.
    public func begin(_ form: Form, for caller: AccountCaller) async throws -> Outcome {
        let (team, now, ip) = (caller.team, caller.now, caller.origin.ip)
        if let wait = try await limits.charge(.registration, by: .stranger(ip: ip), in: team, at: now) {
            return .limited(retryAfter: wait)
        }
        // Whoever waits for the team keeps what their mailbox may get.
        if let wait = try await limits.wait(for: .registration, ofTeam: team, at: now) {
            return .limited(retryAfter: wait)
        }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(form.password, for: team)
        } catch {
            return .busy
        }
        let tooMany = try await limits.charge(
            .registration,
            to: LoginName(form.email).rawValue,
            askedBy: .stranger(ip: ip),
            in: team,
            at: now
        )
        guard tooMany == nil else { return .mailed }
        if let wait = try await limits.charge(.registration, ofTeam: team, at: now) {
            return .limited(retryAfter: wait)
        }
        try await mail(form, hash, for: caller)
        return .mailed
    }

    private func mail(_ form: Form, _ hash: PasswordHash, for caller: AccountCaller) async throws {
        let team = caller.team
        let isKnown = try await logins.isTaken(LoginName(form.email), in: team)
        let link = MailedLink(
            .registration,
            email: form.email,
            attempt: form.attempt,
            browserHash: form.browserHash,
            name: form.name,
            password: hash
        )
        try await database.transaction(in: team) { transaction in
            let token = LinkToken(random: random)
            // Kept for a known address too, under a token that nobody is sent.
            let end = try await links.insert(link, token, in: team, at: caller.now, transaction)
            let mail: AccountMail = isKnown ? .known : .confirmation(token, .registration, until: end)
            try await post.send(mail, form.email, caller.language, team, transaction)
        }
    }

    /// The account to be, while the link works.
    public func pending(
        _ token: LinkToken,
        in browserHash: [UInt8],
        for caller: AccountCaller
    ) async throws(PostgresFailure) -> Pending? {
        let link = try await links.find(token, for: .registration, in: caller.team, at: caller.now)
        return link.map {
            Pending(email: $0.email, name: $0.name, isOwn: $0.browserHash == browserHash)
        }
    }

    /// Makes the account: with what was typed at the registration in the browser that registered, with `choice` in any
    /// other.
    ///
    /// - Throws: `PostgresFailure`.
    public func confirm(
        _ token: LinkToken,
        in browserHash: [UInt8],
        choosing choice: Choice? = nil,
        for caller: AccountCaller
    ) async throws -> Confirmation {
        guard let pending = try await pending(token, in: browserHash, for: caller) else { return .over }
        if pending.isOwn { return try await make(token, nil, for: caller) }
        guard let choice else { return .unchosen }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(choice.password, for: caller.team)
        } catch {
            return .busy
        }
        return try await make(token, (choice.name, hash), for: caller)
    }

    /// - Parameter chosen: in the place of what was typed at the registration.
    private func make(
        _ token: LinkToken,
        _ chosen: (name: PersonName, password: PasswordHash)?,
        for caller: AccountCaller
    ) async throws -> Confirmation {
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
                guard let link else { return .over }
                let new = NewUser(
                    name: chosen?.name ?? link.name,
                    email: link.email,
                    isEmailVerified: true,
                    password: chosen?.password ?? link.password
                )
                let subject = try await users.create(
                    new,
                    in: team,
                    by: .system("registration"),
                    from: caller.origin,
                    transaction
                )
                guard let user = try await users.find(subject, in: team, transaction) else { return .over }
                return .made(Made(user: user, login: LoginName(link.email), attempt: link.attempt))
            }
        } catch UserStore.Failure.loginTaken {
            return .over
        }
    }
}
