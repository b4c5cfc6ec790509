import Core
public import Crypto
public import Platform
public import Postgres

/// Purpose of a mailed link.
public enum MailedLinkPurpose: String, SQLText, Sendable {
    /// Confirms the address of a registration and creates the account.
    case registration
    /// Allows the user to choose another password.
    case password
    /// Confirms a new address of an existing user.
    case email
    /// Allows a user invited by the team to create an account.
    case invitation
    /// Replaces the password once, in the browser that requested the link.
    case signIn = "sign_in"

    /// Lifetime of a link.
    var life: Duration {
        switch self {
        case .registration, .email: .seconds(24 * 3600)
        case .password: .seconds(3600)
        case .signIn: .seconds(900)
        case .invitation: UserInvitation.life
        }
    }
}

/// Mailed link that has not been used.
public struct MailedLink: Sendable {
    public let purpose: MailedLinkPurpose
    /// Nil until the account is created.
    public let subject: Subject?
    /// Recipient address.
    public let email: EmailAddress
    /// ID of the interaction that continues if the link is followed in the browser where it began.
    public let interaction: String?
    /// Hash of the requesting browser; nil if the purpose does not need it.
    let browserHash: [UInt8]?
    /// The app's authorization request as a query, by which the sign-in begins anew once the interaction is over; nil
    /// for other purposes than registration, and if no app asked.
    let requestQuery: String?
    let name: PersonName
    let password: PasswordHash?
    /// ID of the invitation; nil for other purposes.
    let invitation: InvitationID?

    init(
        _ purpose: MailedLinkPurpose, subject: Subject? = nil, email: EmailAddress, interaction: String? = nil,
        browserHash: [UInt8]? = nil, requestQuery: String? = nil, name: PersonName = .none,
        password: PasswordHash? = nil
    ) {
        self.purpose = purpose
        self.subject = subject
        self.email = email
        self.interaction = interaction
        self.browserHash = browserHash
        self.requestQuery = requestQuery
        self.name = name
        self.password = password
        invitation = nil
    }

    /// Creates the recovery link for a user who cannot sign in by password.
    ///
    /// A user whose address is unverified gets a link to choose another password, whatever was requested: the current
    /// password may have been chosen by a third party who entered the address.
    ///
    /// Without a recipient, the link is of the same size, would create an account that cannot be used, and has a token
    /// that is never sent. It is stored so that both cases take the same time.
    static func recovery(by help: PasswordRecovery.Help, of user: User?, interaction: String?, browserHash: [UInt8])
        -> MailedLink
    {
        guard let user, reaches(user), let address = user.email else {
            return MailedLink(
                .registration, email: .nobody, interaction: interaction, browserHash: browserHash,
                password: nobodysPassword)
        }
        return MailedLink(
            help == .signInLink && user.isEmailVerified ? .signIn : .password, subject: user.subject, email: address,
            interaction: interaction, browserHash: browserHash)
    }

    /// Lifetime of this link; one that is never sent is kept only as long as a sign-in link.
    var life: Duration { email == .nobody ? MailedLinkPurpose.signIn.life : purpose.life }

    /// Whether recovery mail is sent to the user.
    static func reaches(_ user: User) -> Bool { user.suspendedAt == nil && user.email != nil }

    /// Hash of no known password.
    private static let nobodysPassword = PasswordHash(
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")

    init(_ row: inout Row) throws(PostgresFailure) {
        purpose = try row.next()
        subject = try row.next()
        email = try row.next()
        interaction = try row.next()
        browserHash = try row.next()
        requestQuery = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        password = try row.next(String?.self).flatMap(PasswordHash.init)
        invitation = try row.next()
    }
}

/// Changes a user's email address once a mailed link has confirmed the new one.
public struct EmailChange: Sendable {
    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore
    private let logins: LoginNameStore
    private let mailer: AccountMailer
    private let random: RandomSource

    public init(_ database: TeamDatabase, mailer: AccountMailer, random: RandomSource = .system) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database)
        logins = LoginNameStore(database: database)
        self.mailer = mailer
        self.random = random
    }

    /// Mails a confirmation link to the new address, or a mail stating that the address is in use.
    ///
    /// - Parameter right: session that requests the change; a password change in the meantime may have ended it.
    /// - Throws: `TooManyRequests`, `SessionRight.Ended`, `PostgresFailure`.
    public func begin(
        _ subject: Subject, to email: EmailAddress, by right: SessionRight? = nil, for caller: AccountCaller
    ) async throws {
        let (team, now) = (caller.team, caller.now)
        let recipient = LimitKey.recipient(LoginName(email).rawValue, for: .sender)
        // The network counts too: accounts are cheap, and a user may name any address.
        let ofNetwork = RateLimit.Use(.mailBySender, by: .network(caller.origin.ip))
        try await database.count(
            [ofNetwork] + RateLimit.Use.mail(to: recipient, by: .account(subject)), in: team, at: now)
        let isTaken = try await logins.isTaken(LoginName(email), in: team, exceptBy: subject)
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            try await links.removeAll(for: .email, of: subject, in: team, transaction)
            let token = LinkToken(random: random)
            let link = MailedLink(.email, subject: subject, email: email)
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail = isTaken ? .known : .confirmation(token, .email, until: end)
            try await mailer.send(mail, email, caller.language, team, transaction)
        }
    }

    /// User whose address the link changes, while the link is valid.
    public func person(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> Subject? {
        try await links.find(token, for: .email, in: caller.team, at: caller.now)?.subject
    }

    /// Changes the address, and the login name if it was the old address; notifies the old address by mail.
    ///
    /// - Parameter right: session that confirms. It must be the session of the user who requested the change, because
    ///   the owner of an address may follow a link that another user requested for it.
    /// - Returns: false if the link has expired or is another user's, or the address has become another user's login
    ///   name.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func confirm(_ token: LinkToken, by right: SessionRight, for caller: AccountCaller) async throws -> Bool {
        let (team, subject) = (caller.team, right.session.user.subject)
        guard try await person(token, for: caller) == subject else { return false }
        return try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            let link = try await links.take(token, for: .email, in: team, at: caller.now, transaction)
            guard let link, link.subject == subject, let user = try await users.find(subject, in: team, transaction)
            else { return false }
            let isFree = try await logins.rename(
                user.email.map(LoginName.init), to: LoginName(link.email), of: subject, in: team, transaction)
            guard isFree else { return false }
            try await users.setEmail(link.email, of: subject, in: team, transaction)
            try await transaction.query(MailedLinkStore.deletion(of: subject, in: team))
            // The audit log contains no addresses because it outlives them.
            try await AuditEvent("email.changed", by: .user(subject, of: team), on: .user(subject), from: caller.origin)
                .record(in: team, transaction)
            if let old = user.email, old != link.email {
                try await mailer.send(.emailChanged, old, caller.language, team, transaction)
            }
            return true
        }
    }
}
