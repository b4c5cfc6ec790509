public import Crypto
public import Platform
public import Postgres

/// Recovery of an account by a mailed link, to choose another password or to sign in once.
public struct PasswordRecovery: Sendable {
    /// Requested kind of recovery.
    public enum Help: Sendable {
        /// Link to choose another password.
        case newPassword
        /// Link that signs in, in the requesting browser, as the password would.
        case signInLink
    }

    /// Result of setting a new password.
    public enum Outcome: Sendable {
        /// The user after the change.
        case changed(User)
        /// The link was used, has expired or never existed.
        case expired
        case busy
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let passwords: PasswordStore
    private let users: UserStore
    private let prepared: PreparedAccess
    private let hasher: PasswordHasher
    private let mailer: AccountMailer
    private let random: RandomSource

    public init(
        _ database: TeamDatabase, hasher: PasswordHasher, mailer: AccountMailer, ending prepared: PreparedAccess,
        random: RandomSource = .system
    ) {
        self.database = database
        links = MailedLinkStore(database: database)
        passwords = PasswordStore(database)
        users = UserStore(database)
        self.prepared = prepared
        self.hasher = hasher
        self.mailer = mailer
        self.random = random
    }

    /// Mails a recovery link to the account of a login name, if there is one, without revealing whether there is.
    ///
    /// A missing account runs the same statements as an existing one.
    ///
    /// - Parameters:
    ///   - help: kind of recovery, which the decoy mail matches too.
    ///   - browserHash: hash of the requesting browser.
    ///   - knownBrowser: ID of the browser, if this login name has signed in there before; nil for any other. It gets
    ///     its mail however many mails unauthenticated clients have requested.
    /// - Throws: `TooManyRequests`, `PostgresFailure`.
    public func begin(
        _ name: String, for help: Help, interaction: String?, browserHash: [UInt8], knownBrowser: KnownBrowser? = nil,
        _ caller: AccountCaller
    ) async throws {
        let (team, now) = (caller.team, caller.now)
        let login = LoginName(rawValue: name) ?? .nobody
        var person = knownBrowser == nil ? nil : try await passwords.credential(for: login, in: team)?.user
        let browser = person.flatMap { knownBrowser?($0) }
        let recipient = LimitKey.recipient(
            login.rawValue, for: .request,
            by: browser.map { .login(login.rawValue, knownBrowser: $0) } ?? .network(caller.origin.ip))
        // A known browser counts for its recipient alone, so that no other client keeps it from a mail.
        let uses =
            browser == nil
            ? RateLimit.Use.mail(to: recipient, by: .network(caller.origin.ip))
            : [RateLimit.Use(.mailToRecipient, by: recipient)]
        try await database.count(uses, in: team, at: now)
        if person == nil { person = try await passwords.credential(for: login, in: team)?.user }
        let link = MailedLink.recovery(by: help, of: person, interaction: interaction, browserHash: browserHash)
        try await database.transaction(in: team) { transaction in
            try await links.removeEarlier(than: link, in: team, transaction)
            let token = LinkToken(random: random)
            let end = try await links.insert(link, token, in: team, at: now, transaction)
            let mail: AccountMail =
                switch link.purpose {
                case .signIn: .signInLink(token, until: end)
                case .password: .passwordReset(token, until: end)
                default: .decoy(help, token, until: end)
                }
            try await mailer.send(mail, link.email, caller.language, team, transaction)
        }
    }

    /// User whose password the link changes, while the link is valid.
    public func person(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> User? {
        let link = try await links.find(token, for: .password, in: caller.team, at: caller.now)
        guard let subject = link?.subject else { return nil }
        return try await users.find(subject, in: caller.team)
    }

    /// Sets the password, ends all sessions and uses up the link.
    ///
    /// Following the link confirms the address. If the address was unconfirmed before, all other access prepared in the
    /// account ends with the old password.
    ///
    /// - Throws: `PostgresFailure`.
    public func change(_ token: LinkToken, to password: NewPassword, for caller: AccountCaller) async throws -> Outcome
    {
        let team = caller.team
        guard let user = try await person(token, for: caller) else { return .expired }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) { hash = try await hasher.hash(password, for: team, from: caller.origin) } catch
        { return .busy }
        let actor = Actor.user(user.subject, of: team)
        return try await database.change(in: team, by: actor, from: caller.origin) { change in
            let link = try await links.take(token, for: .password, in: team, at: caller.now, change.transaction)
            guard let link, link.subject == user.subject else { return .expired }
            _ = try await PasswordStore.set(hash, for: user.subject, change)
            // Console accounts are created by a link to their address, or on the server itself during setup.
            if !user.isEmailVerified, team != .system { try await prepared.end(user.subject, change) }
            try await users.noteVerified(link.email, of: user.subject, change)
            try await mailer.send(.passwordChanged, link.email, caller.language, team, change.transaction)
            return try await users.find(user.subject, in: team, change.transaction).map(Outcome.changed) ?? .expired
        }
    }
}

/// Removes access prepared in an account before the owner of its address confirmed it: passkeys, codes, provider
/// accounts, sessions, and grants to apps.
///
/// An account with an unconfirmed address may have been created by an attacker who waits for the owner to use it.
public struct PreparedAccess: Sendable {
    /// Ends all prepared access of a user, by whom the change is made.
    public typealias End = @Sendable (_ subject: Subject, _ change: borrowing Change) async throws -> Void

    let end: End

    public init(_ end: @escaping End) { self.end = end }
}
