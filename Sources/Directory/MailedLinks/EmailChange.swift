public import Crypto
public import Platform
public import Postgres

/// Changes a user's email address once a mailed link has confirmed the new one.
public struct EmailChange: Sendable {
    /// Result of a confirmation.
    public enum Outcome: Sendable {
        case changed
        /// The link was used, has expired or is another user's.
        case expired
        /// The address has become another user's login name.
        case taken
    }

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
        // The network counts too: accounts are cheap, and a user may name any address.
        let network = LimitKey.network(caller.origin.ip)
        let recipient = LimitKey.recipient(LoginName(email).rawValue, for: .sender, by: network)
        let ofNetwork = RateLimit.Use(.mailBySender, by: network)
        try await database.count(
            [ofNetwork] + RateLimit.Use.mail(to: recipient, by: .account(subject)), in: team, at: now)
        let isTaken = try await logins.isTaken(LoginName(email), in: team, exceptBy: subject)
        try await database.change(by: subject, in: team, from: caller.origin) { change in
            try await UserStore.lock(subject, by: right, change)
            let link = MailedLink(.email, subject: subject, email: email)
            try await links.removeEarlier(than: link, in: team, change.transaction)
            let token = LinkToken(random: random)
            let end = try await links.insert(link, token, in: team, at: now, change.transaction)
            let mail: AccountMail = isTaken ? .known : .confirmation(token, .email, until: end)
            try await mailer.send(mail, email, caller.language, team, change.transaction)
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
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func confirm(_ token: LinkToken, by right: SessionRight, for caller: AccountCaller) async throws -> Outcome {
        let (team, subject) = (caller.team, right.session.user.subject)
        guard try await person(token, for: caller) == subject else { return .expired }
        return try await database.change(by: subject, in: team, from: caller.origin) { change in
            try await UserStore.lock(subject, by: right, change)
            let link = try await links.take(token, for: .email, in: team, at: caller.now, change.transaction)
            guard let link, link.subject == subject,
                let user = try await users.find(subject, in: team, change.transaction)
            else { return .expired }
            let isFree = try await logins.rename(
                user.email.map(LoginName.init), to: LoginName(link.email), of: subject, change)
            guard isFree else { return .taken }
            try await users.setEmail(link.email, of: subject, change)
            try await change.query(MailedLinkStore.deletion(of: subject, in: team))
            // The audit log contains no addresses because it outlives them.
            try await change.record("email.changed", .user(subject))
            if let old = user.email, old != link.email {
                try await mailer.send(.emailChanged, old, caller.language, team, change.transaction)
            }
            return .changed
        }
    }
}
