import Audit
public import Bytes
import Crypto
public import Domain
public import Postgres

/// Signs users in by login name and password.
///
/// A missing account runs the same statements, the same hash and the same limits as an existing one.
public struct PasswordSignIn: Sendable {
    private let database: TeamDatabase
    private let passwords: PasswordStore
    private let limits: GuessLimitStore
    private let comparisons: ComparisonLimits
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        self.database = database
        self.hasher = hasher
        passwords = PasswordStore(database)
        limits = GuessLimitStore(database)
        comparisons = ComparisonLimits(database)
    }

    /// Compares a password with that of a login name, unless too many wrong ones came before.
    ///
    /// - Parameter knownBrowser: ID of a browser in which this login name has signed in before with credentials that
    ///   are still current; the caller has verified both. It has its own limit, so that it keeps working while other
    ///   clients lock the account or share its address.
    public func authenticate(
        login: String, password: String, in team: TeamID, from origin: Origin, knownBrowser: String? = nil,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SignInResult {
        let counters = GuessCounters(login: login, ip: origin.ip, knownBrowser: knownBrowser)
        let charge = try await limits.charge(counters, in: team, at: now)
        if let end = charge.lockedUntil { return .locked(retryAfter: end - now) }
        let comparison = try await comparisons.charge(counters, from: origin.ip, in: team, at: now)
        if let wait = comparison.wait {
            try await limits.release(charge, in: team)
            return .tooMany(retryAfter: wait)
        }
        let credential = try await credential(for: login, in: team)
        let isRight: Bool
        do throws(PasswordHasher.Busy) {
            isRight = try await hasher.verify(
                password, against: credential?.hash, in: team,
                for: PasswordQueue.Askers(account: counters.account, ip: origin.ip))
        } catch {
            try await limits.release(charge, in: team)
            try await comparisons.release(comparison, in: team)
            return .busy
        }
        guard let credential, isRight, credential.user.suspendedAt == nil else {
            try await noteRefusal(of: credential?.user, isRight: isRight, charge, in: team, from: origin)
            return .wrong
        }
        try await limits.clear(charge, in: team)
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
    private func noteRefusal(
        of user: User?, isRight: Bool, _ charge: GuessLimitStore.Charge, in team: TeamID, from origin: Origin
    ) async throws(PostgresFailure) {
        guard let user else { return try await limits.simulateCost(charge, in: team) }
        let event = AuditEvent(
            "sign_in.refused", by: .system("sign-in"), on: .user(user.subject), from: origin,
            after: ["reason": isRight ? "suspended" : "wrong password", "locks": .boolean(charge.isLast)],
            outcome: .refused)
        try await database.query(event.insertion(in: team), in: team, durability: .relaxed)
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
