public import Crypto
public import Platform
public import Postgres

/// Self-registration: creates an account once a mailed link has confirmed its email address.
///
/// A registered address runs the same statements and the same hash and gets the same answer as an unregistered one;
/// only the mail differs.
public struct AccountRegistrations: Sendable {
    /// Result of submitting the registration form.
    public enum Outcome: Sendable {
        /// The request was accepted, and a mail is sent.
        case mailed
        case busy
    }

    /// Validated registration form and the browser that submitted it.
    public struct Form: Sendable {
        public let email: EmailAddress
        public let name: PersonName
        public let password: NewPassword
        /// ID of the interaction to continue.
        public let interaction: String?
        public let browserHash: [UInt8]
        /// The app's authorization request as a query; nil if no app asked.
        public let requestQuery: String?

        public init(
            email: EmailAddress, name: PersonName, password: NewPassword, interaction: String?, browserHash: [UInt8],
            requestQuery: String? = nil
        ) {
            self.email = email
            self.name = name
            self.password = password
            self.interaction = interaction
            self.browserHash = browserHash
            self.requestQuery = requestQuery
        }
    }

    /// Registration that awaits confirmation and whose link is valid.
    public struct Pending: Sendable {
        public let email: EmailAddress
        public let name: PersonName
        /// Whether the confirming browser is the one that registered.
        ///
        /// In any other browser, the owner of the address may not be the user who registered, and chooses another
        /// password.
        public let isOwn: Bool
    }

    /// Name and password chosen at confirmation, in a browser other than the one that registered.
    public struct Choice: Sendable {
        public let name: PersonName
        public let password: NewPassword

        public init(name: PersonName, password: NewPassword) {
            self.name = name
            self.password = password
        }
    }

    /// Result of a confirmation.
    public enum Confirmation: Sendable {
        case made(Made)
        /// The link was used, has expired or never existed.
        case expired
        /// The address has since become the login name of an account.
        case known
        /// The browser is not the one that registered, and the request contains no password.
        case unchosen
        case busy
    }

    /// Newly created account.
    public struct Made: Sendable {
        public let user: User
        public let login: LoginName
        public let interaction: String?
        /// The app's authorization request as a query, to begin anew once that is over; nil if no app asked.
        public let requestQuery: String?
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore
    private let logins: LoginNameStore
    private let hasher: PasswordHasher
    private let mailer: AccountMailer
    private let random: RandomSource

    public init(_ database: TeamDatabase, hasher: PasswordHasher, mailer: AccountMailer, random: RandomSource = .system)
    {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database, random: random)
        logins = LoginNameStore(database: database)
        self.hasher = hasher
        self.mailer = mailer
        self.random = random
    }

    /// Mails a link that creates the account, or a mail stating that the address already has one.
    ///
    /// A registered address is counted like any other, so the count reveals nothing about accounts.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`.
    public func begin(_ form: Form, for caller: AccountCaller) async throws -> Outcome {
        let recipient = LimitKey.recipient(
            LoginName(form.email).rawValue, for: .request, by: .network(caller.origin.ip))
        try await database.count(
            RateLimit.Use.mail(to: recipient, by: .network(caller.origin.ip)), in: caller.team, at: caller.now)
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(form.password, for: caller.team, from: caller.origin)
        } catch { return .busy }
        try await mail(form, hash, for: caller)
        return .mailed
    }

    private func mail(_ form: Form, _ hash: PasswordHash, for caller: AccountCaller) async throws {
        let team = caller.team
        let isKnown = try await logins.isTaken(LoginName(form.email), in: team)
        let link = MailedLink(
            .registration, email: form.email, interaction: form.interaction, browserHash: form.browserHash,
            requestQuery: form.requestQuery, name: form.name, password: hash)
        try await database.transaction(in: team) { transaction in
            let token = LinkToken(random: random)
            // Stored for a registered address too, under a token that is never sent.
            let end = try await links.insert(link, token, in: team, at: caller.now, transaction)
            let mail: AccountMail = isKnown ? .known : .confirmation(token, .registration, until: end)
            try await mailer.send(mail, form.email, caller.language, team, transaction)
        }
    }

    /// Pending registration of a token, while its link is valid.
    public func pending(_ token: LinkToken, in browserHash: [UInt8], for caller: AccountCaller)
        async throws(PostgresFailure) -> Pending?
    {
        let link = try await links.find(token, for: .registration, in: caller.team, at: caller.now)
        return link.map { Pending(email: $0.email, name: $0.name, isOwn: $0.browserHash == browserHash) }
    }

    /// Creates the account: with the data of the registration form in the browser that registered, with `choice` in any
    /// other.
    ///
    /// - Throws: `PostgresFailure`.
    public func confirm(
        _ token: LinkToken, in browserHash: [UInt8], choosing choice: Choice? = nil, for caller: AccountCaller
    ) async throws -> Confirmation {
        guard let pending = try await pending(token, in: browserHash, for: caller) else { return .expired }
        if pending.isOwn { return try await make(token, nil, for: caller) }
        guard let choice else { return .unchosen }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(choice.password, for: caller.team, from: caller.origin)
        } catch { return .busy }
        return try await make(token, (choice.name, hash), for: caller)
    }

    /// Creates the account and uses up the link.
    ///
    /// - Parameter chosen: name and password that replace those of the registration form; nil keeps the form's.
    private func make(
        _ token: LinkToken, _ chosen: (name: PersonName, password: PasswordHash)?, for caller: AccountCaller
    ) async throws -> Confirmation {
        let team = caller.team
        do {
            let actor = Actor.system("registration")
            return try await database.change(in: team, by: actor, from: caller.origin) { change in
                let link = try await links.take(token, for: .registration, in: team, at: caller.now, change.transaction)
                guard let link else { return .expired }
                let new = NewUser(
                    name: chosen?.name ?? link.name, email: link.email, isEmailVerified: true,
                    password: chosen?.password ?? link.password)
                let subject = try await users.create(new, change)
                guard let user = try await users.find(subject, in: team, change.transaction) else { return .expired }
                return .made(
                    Made(
                        user: user, login: LoginName(link.email), interaction: link.interaction,
                        requestQuery: link.requestQuery))
            }
        } catch UserStore.Failure.loginTaken { return .known }
    }
}
