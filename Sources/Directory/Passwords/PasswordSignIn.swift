public import Core
import Crypto
public import Platform
import Postgres

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
    /// - Parameter knownBrowser: ID of a browser in which this login name has signed in before; nil for any other. It has
    ///   its own count, so that it keeps working while other clients lock the account or share its address.
    /// - Throws: `PostgresFailure`.
    public func authenticate(
        login: String, password: String, in team: TeamID, from origin: Origin, knownBrowser: KnownBrowser? = nil,
        at now: Timestamp = .now()
    ) async throws -> SignInResult {
        // An invalid name is looked up too, under one that no account can have because it contains a space.
        let name = LoginName(rawValue: login) ?? .nobody
        // Only a known browser's user is read before it is counted: a locked name costs others the same with an account
        // as without one.
        var credential = knownBrowser == nil ? nil : try await passwords.credential(for: name, in: team)
        let browser = credential.flatMap { knownBrowser?($0.user) }
        // Normalized like `LoginName` if possible; an invalid name belongs to no account, yet is counted too.
        let account = LimitKey.login(LoginName(rawValue: login)?.rawValue ?? login, knownBrowser: browser)
        let ofNetwork = browser == nil ? [RateLimit.Use(.failedProofsOfNetwork, by: .network(origin.ip))] : []
        // Not taken back, in whatever browser: right passwords cost a hash each, and leave an event.
        let uses =
            ofNetwork + [
                RateLimit.Use(.failedProofs, by: account),
                RateLimit.Use(.signIns, by: .login(LoginName(rawValue: login)?.rawValue ?? login)),
            ]
        do { try await database.count(uses, in: team, at: now) } catch let refusal as TooManyRequests {
            return .locked(refusal)
        }
        if credential == nil { credential = try await passwords.credential(for: name, in: team) }
        let isRight: Bool
        do throws(PasswordHasher.Busy) {
            isRight = try await hasher.matches(password, credential?.hash, in: team, from: origin)
        } catch {
            try await database.release(uses, in: team, at: now)
            return .busy
        }
        guard let credential, isRight, credential.user.suspendedAt == nil else {
            try await noteRefusal(of: credential?.user, isRight: isRight, in: team, from: origin)
            return .wrong
        }
        try await database.release(ofNetwork + [.all(of: .failedProofs, by: account)], in: team, at: now)
        try await renewHash(credential, password, in: team, from: origin)
        return .success(credential.user, credential.factors)
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
    private func renewHash(
        _ credential: PasswordStore.Credential, _ password: String, in team: TeamID, from origin: Origin
    ) async throws(PostgresFailure) {
        guard let old = credential.hash, let new = await renewed(old, password, in: team, from: origin) else { return }
        try await passwords.replace(old, with: new, of: credential.user.subject, in: team)
    }

    /// Renewed hash; nil if the current one is good enough, or the machine is overloaded.
    private func renewed(_ hash: PasswordHash, _ password: String, in team: TeamID, from origin: Origin) async
        -> PasswordHash?
    {
        do throws(PasswordHasher.Busy) {
            return try await hasher.rehash(password, replacing: hash, in: team, from: origin)
        } catch { return nil }
    }
}

/// Identifies a browser to the counters of a user who has signed in in it before; nil for a user whose credentials have
/// changed since.
public typealias KnownBrowser = @Sendable (User) -> String?

/// Result of a sign-in by login name and password.
public enum SignInResult: Sendable {
    /// The credentials are right; the user may owe a second factor.
    case success(User, EnrolledFactors)
    /// The name or password is wrong, or the user is suspended; the answer does not reveal which.
    case wrong
    /// Too many wrong passwords; nothing was compared.
    case locked(TooManyRequests)
    /// The queue is longer than a user would wait; the try does not count.
    case busy
}
