import Audit
public import Bytes
import Crypto
public import Domain
public import Postgres

/// Signs people in by login name and password.
///
/// An account that does not exist takes the same statements, the same hash and the same limits as one that does.
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

    /// Compares a password with the one of a login name, unless too many wrong ones came before.
    ///
    /// - Parameter knownBrowser: names a browser in which somebody has signed in to this very login name before, by what
    ///   proves the person now; the caller has made sure of both. It has a limit of its own, so that it works on while
    ///   others lock the account or share its address.
    public func authenticate(
        login: String,
        password: String,
        in team: TeamID,
        from origin: Origin,
        knownBrowser: String? = nil,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> SignInResult {
        let counters = GuessCounters(login: login, ip: origin.ip, knownBrowser: knownBrowser)
        let charge = try await limits.charge(counters, in: team, at: now)
        if let end = charge.lockedUntil { return .locked(retryAfter: end - now) }
        let comparison = try await comparisons.charge(counters, from: origin.ip, in: team, at: now)
        if let wait = comparison.wait {
            try await limits.refund(charge, in: team)
            return .tooMany(retryAfter: wait)
        }
        let credential = try await credential(for: login, in: team)
        let isRight: Bool
        do throws(PasswordHasher.Busy) {
            isRight = try await hasher.verify(
                password,
                against: credential?.hash,
                in: team,
                for: PasswordPlaces.Askers(account: counters.account, ip: origin.ip)
            )
        } catch {
            try await limits.refund(charge, in: team)
            try await comparisons.refund(comparison, in: team)
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

    /// Whose login name it is; nil where it is nobody's.
    public func holder(of login: String, in team: TeamID) async throws(PostgresFailure) -> User? {
        try await credential(for: login, in: team)?.user
    }

    private func credential(
        for login: String,
        in team: TeamID
    ) async throws(PostgresFailure) -> PasswordStore.Credential? {
        // A name that cannot exist is looked up too, under one that nobody can have: it has a space.
        try await passwords.credential(for: LoginName(rawValue: login) ?? .nobody, in: team)
    }

    /// Known people only are worth an event: a flood of invented names must not become a flood of events.
    private func noteRefusal(
        of user: User?,
        isRight: Bool,
        _ charge: GuessLimitStore.Charge,
        in team: TeamID,
        from origin: Origin
    ) async throws(PostgresFailure) {
        guard let user else { return try await limits.pretend(charge, in: team) }
        let event = AuditEvent(
            "sign_in.refused",
            by: .system("sign-in"),
            on: .user(user.subject),
            from: origin,
            after: ["reason": isRight ? "suspended" : "wrong password", "locks": .boolean(charge.isLast)],
            outcome: .refused
        )
        try await database.queryRelaxed(event.insertion(in: team), in: team)
    }

    /// A sign-in does not fail for want of a better hash.
    private func renewHash(
        _ credential: PasswordStore.Credential,
        _ password: String,
        in team: TeamID
    ) async throws(PostgresFailure) {
        guard let old = credential.hash, let new = await renewed(old, password, in: team) else { return }
        try await passwords.replace(old, with: new, of: credential.user.subject, in: team)
    }

    /// Nil where the hash is good enough, or the machine has too much to do.
    private func renewed(_ hash: PasswordHash, _ password: String, in team: TeamID) async -> PasswordHash? {
        do throws(PasswordHasher.Busy) {
            return try await hasher.rehash(password, replacing: hash, in: team)
        } catch {
            return nil
        }
    }
}
