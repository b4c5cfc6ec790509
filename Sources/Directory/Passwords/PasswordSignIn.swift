public import Core
public import Crypto
public import EventLoop
public import Platform
public import Postgres

/// Signs users in by login name and password.
///
/// A missing account runs the same statements, the same hash and the same limits as an existing one.
public struct PasswordSignIn: Sendable {
    private let database: TeamDatabase
    private let passwords: PasswordStore
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        self.database = database
        self.hasher = hasher
        passwords = PasswordStore(database)
    }

    /// Compares a password with that of a login name, unless too many wrong ones came before.
    ///
    /// A try is counted before the password is compared and taken back if it was right, so that no number of concurrent
    /// tries exceeds the limit.
    ///
    /// - Parameter knownBrowser: ID of a browser in which this login name has signed in before with credentials that
    ///   are still current; the caller has verified both. It has its own count, so that it keeps working while other
    ///   clients lock the account or share its address.
    /// - Throws: `PostgresFailure`.
    public func authenticate(
        login: String, password: String, in team: TeamID, from origin: Origin, knownBrowser: String? = nil,
        at now: Timestamp = .now()
    ) async throws -> SignInResult {
        // Normalized like `LoginName` if possible; an invalid name belongs to no account, yet is counted too.
        let account = LimitKey.login(LoginName(rawValue: login)?.rawValue ?? login, knownBrowser: knownBrowser)
        let ofNetwork = knownBrowser == nil ? [RateLimit.Use(.failedProofsOfNetwork, by: .network(origin.ip))] : []
        let uses = ofNetwork + [RateLimit.Use(.failedProofs, by: account)]
        do { try await database.count(uses, in: team, at: now) } catch let refusal as TooManyRequests {
            return .locked(refusal)
        }
        let credential = try await credential(for: login, in: team)
        let isRight: Bool
        do throws(PasswordHasher.Busy) {
            isRight = try await hasher.matches(password, credential?.hash, in: team)
        } catch {
            try await database.release(uses, in: team, at: now)
            return .busy
        }
        guard let credential, isRight, credential.user.suspendedAt == nil else {
            try await noteRefusal(of: credential?.user, isRight: isRight, in: team, from: origin)
            return .wrong
        }
        try await database.release(ofNetwork + [.all(of: .failedProofs, by: account)], in: team, at: now)
        try await renewHash(credential, password, in: team)
        return .success(credential.user)
    }

    /// User with that login name, or nil.
    public func holder(of login: String, in team: TeamID) async throws(PostgresFailure) -> User? {
        try await credential(for: login, in: team)?.user
    }

    private func credential(for login: String, in team: TeamID) async throws(PostgresFailure) -> PasswordStore
        .Credential?
    {
        // An invalid name is looked up too, under one that no account can have because it contains a space.
        try await passwords.credential(for: LoginName(rawValue: login) ?? .nobody, in: team)
    }

    /// Records an event for existing users only, because a flood of invented names must not become a flood of events.
    ///
    /// For an unknown name the same statement runs and inserts nothing.
    private func noteRefusal(of user: User?, isRight: Bool, in team: TeamID, from origin: Origin)
        async throws(PostgresFailure)
    {
        let event = AuditEvent(
            "sign_in.refused", by: .system("sign-in"), on: .user(user?.subject ?? Subject(hexadecimal: "")),
            from: origin, after: ["reason": isRight ? "suspended" : "wrong password"], outcome: .refused)
        try await database.query(
            event.insertion(in: team, when: user == nil ? "WHERE false" : ""), in: team, durability: .relaxed)
    }

    /// Replaces an outdated hash; the sign-in succeeds even if that is not possible now.
    private func renewHash(_ credential: PasswordStore.Credential, _ password: String, in team: TeamID)
        async throws(PostgresFailure)
    {
        guard let old = credential.hash, let new = await renewed(old, password, in: team) else { return }
        try await passwords.replace(old, with: new, of: credential.user.subject, in: team)
    }

    /// Renewed hash; nil if the current one is good enough, or the machine is overloaded.
    private func renewed(_ hash: PasswordHash, _ password: String, in team: TeamID) async -> PasswordHash? {
        do throws(PasswordHasher.Busy) { return try await hasher.rehash(password, replacing: hash, in: team) } catch {
            return nil
        }
    }
}

/// Result of a sign-in by login name and password.
public enum SignInResult: Sendable {
    /// The credentials are right.
    case success(User)
    /// The name or password is wrong, or the user is suspended; the answer does not reveal which.
    case wrong
    /// Too many wrong passwords; nothing was compared.
    case locked(TooManyRequests)
    /// The queue is longer than a user would wait; the try does not count.
    case busy
}

/// Hashes and compares passwords off the event loops, a few at a time.
///
/// A hash keeps a core busy for some 20 ms and holds 19 MiB, so the pool limits the cost of sign-ins: one thread for
/// each core but one, and a queue no longer than a user would wait. Its threads are shared fairly between teams:
/// guessing against one team delays that team's sign-ins, and other teams' by no more than the hashes under way.
public struct PasswordHasher: Sendable {
    /// The queue is longer than a user would wait.
    public struct Busy: Error, Sendable {}

    /// Most passwords that wait for a thread, over all teams.
    public static let places = 256

    private let pool: BlockingPool
    let judges: BlockingPool
    private let argon2id: Argon2id

    /// - Parameters:
    ///   - pool: one thread for each core but one, shared by all event loops; nothing slower may wait in its queue.
    ///   - judges: pool that checks new passwords, separate from `pool` so that users of the same team can sign in
    ///     however many passwords are being chosen.
    public init(pool: BlockingPool, judges: BlockingPool, argon2id: Argon2id = .standard) {
        self.pool = pool
        self.judges = judges
        self.argon2id = argon2id
    }

    /// Hashes a new password with a new salt.
    public func hash(_ password: NewPassword, for team: TeamID) async throws(Busy) -> PasswordHash {
        try await hash(password.text, for: team)
    }

    /// Whether `hash` is a hash of the password, which is compared as normalized.
    ///
    /// A nil hash, for an account that does not exist, takes the same time and matches nothing; so does a text too long
    /// to be a password.
    func matches(_ password: String, _ hash: PasswordHash?, in team: TeamID) async throws(Busy) -> Bool {
        let normalized = password.normalizedPassword
        let isPossible = normalized.isPossiblePassword
        return try await run(for: team) { argon2id throws(Argon2id.Failure) in
            try argon2id.verify(isPossible ? normalized : "", against: isPossible ? hash : nil)
        }
    }

    /// Replacement for `hash`, which was just found to be of the password; nil if its parameters are up to date.
    func rehash(_ password: String, replacing hash: PasswordHash, in team: TeamID) async throws(Busy) -> PasswordHash? {
        guard argon2id.needsRehash(hash) else { return nil }
        return try await self.hash(password.normalizedPassword, for: team)
    }

    private func hash(_ password: String, for team: TeamID) async throws(Busy) -> PasswordHash {
        try await run(for: team) { argon2id throws(Argon2id.Failure) in try argon2id.hash(password) }
    }

    /// Runs `body` in the pool; missing memory counts as overload, as a full queue does.
    private func run<Result: Sendable>(
        for team: TeamID, _ body: @escaping @Sendable (Argon2id) throws(Argon2id.Failure) -> Result
    ) async throws(Busy) -> Result {
        do { return try await pool.run(for: team.rawValue) { [argon2id] in try body(argon2id) } } catch { throw Busy() }
    }
}
