import Audit
import Bytes
public import Crypto
public import Domain
public import Postgres

/// Lets people in who cannot sign in by their password, by a mailed link: to choose another one, or to sign in once.
public struct PasswordRecovery: Sendable {
    /// What is asked for.
    public enum Help: Sendable {
        /// To choose another password.
        case newPassword
        /// To sign in in the browser that asks, as by the password.
        case signInLink
    }

    /// What came of a new password.
    public enum Outcome: Sendable {
        /// The person as they are now.
        case changed(User)
        /// The link was used, is too old, or never was.
        case over
        case busy
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let passwords: PasswordStore
    private let users: UserStore
    private let limits: SendingLimits
    private let prepared: PreparedAccess
    private let hasher: PasswordHasher
    private let post: AccountPost
    private let random: RandomSource

    public init(
        _ database: TeamDatabase,
        hasher: PasswordHasher,
        post: AccountPost,
        ending prepared: PreparedAccess,
        random: RandomSource = .system
    ) {
        self.database = database
        links = MailedLinkStore(database: database)
        passwords = PasswordStore(database)
        users = UserStore(database)
        limits = SendingLimits(LimitStore(database))
        self.prepared = prepared
        self.hasher = hasher
        self.post = post
        self.random = random
    }

    /// Mails a link to the account of that login name, if there is one; nobody learns whether.
    ///
    /// An account that does not exist takes the same statements as one that does.
    ///
    /// - Parameters:
    ///   - help: what the link is to be good for, in the mail that is sent as in the one that is not.
    ///   - browserHash: the browser that asks.
    ///   - knownBrowser: names it where that login name has signed in in it before, which the caller has made sure of:
    ///     however many mails strangers have asked for, it gets one.
    /// - Returns: how long to wait, for an address that asked too often; nil when the mail is on its way, if any, and for a
    ///   browser that the account knows.
    /// - Throws: `PostgresFailure`.
    public func begin(
        _ name: String,
        for help: Help,
        attempt: String?,
        browserHash: [UInt8],
        knownBrowser: String? = nil,
        _ caller: AccountCaller
    ) async throws -> Duration? {
        let (team, now) = (caller.team, caller.now)
        let asker = knownBrowser.map(SendingLimits.Asker.knownBrowser) ?? .stranger(ip: caller.origin.ip)
        if case .stranger(let ip) = asker {
            let wait = try await limits.charge(.passwordReset, by: .stranger(ip: ip), in: team, at: now)
            if let wait { return wait }
        }
        let login = LoginName(rawValue: name) ?? .nobody
        let tooMany = try await limits.charge(
            .passwordReset,
            to: login.rawValue,
            askedBy: asker,
            in: team,
            at: now
        )
        guard tooMany == nil else { return nil }
        let person = try await recipient(login, askedBy: asker, in: team, at: now)
        let link = MailedLink.recovery(by: help, of: person, attempt: attempt, browserHash: browserHash)
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
            try await post.send(mail, link.email, caller.language, team, transaction)
        }
        return nil
    }

    /// Who gets the link; nil where nobody does.
    ///
    /// The team's count comes last, and only mail to somebody is charged to it: else strangers who ask in names that nobody
    /// has could keep everybody's link from them. A mail beyond it is dropped like one to nobody, so that the count tells
    /// no stranger who has an account.
    private func recipient(
        _ login: LoginName,
        askedBy asker: SendingLimits.Asker,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> User? {
        let found = try await passwords.credential(for: login, in: team)?.user
        guard case .stranger = asker else { return found }
        let person = found.flatMap { MailedLink.reaches($0) ? $0 : nil }
        let isAdmitted = try await limits.admits(
            .passwordReset,
            toSomebody: person != nil,
            in: team,
            at: now
        )
        return isAdmitted ? person : nil
    }

    /// Whose password the link changes, while it works.
    public func person(_ token: LinkToken, for caller: AccountCaller) async throws(PostgresFailure) -> User? {
        let link = try await links.find(token, for: .password, in: caller.team, at: caller.now)
        guard let subject = link?.subject else { return nil }
        return try await users.find(subject, in: caller.team)
    }

    /// Sets the password and ends all sessions; the link is used up.
    ///
    /// Who has followed a link to an address has shown that it is theirs. Where nobody had before, whatever else was
    /// prepared in the account ends with the password.
    ///
    /// - Throws: `PostgresFailure`.
    public func change(
        _ token: LinkToken,
        to password: NewPassword,
        for caller: AccountCaller
    ) async throws -> Outcome {
        let team = caller.team
        guard let user = try await person(token, for: caller) else { return .over }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(password, for: team)
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
            // Accounts of the console are made by a link to their address, or on the server itself by whoever set it up.
            if !user.isEmailVerified, team != .system {
                try await prepared.end(user.subject, caller, transaction)
            }
            try await users.noteVerified(link.email, of: user.subject, in: team, transaction)
            try await post.send(.passwordChanged, link.email, caller.language, team, transaction)
            return try await users.find(user.subject, in: team, transaction).map(Outcome.changed) ?? .over
        }
    }
}
