public import Crypto
public import EventLoop
public import Platform

/// Hashes and compares passwords off the event loops, a few at a time.
///
/// A hash keeps a core busy for some 20 ms and holds 19 MiB, so the pool limits the cost of sign-ins: one thread for
/// each core but one, and a queue no longer than a user would wait. Its threads are shared fairly between teams:
/// guessing against one team delays that team's sign-ins, and other teams' by no more than the hashes under way. Console
/// accounts, all of one team, share them by network (`Origin.owner`).
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
    public func hash(_ password: NewPassword, for team: TeamID, from origin: Origin) async throws(Busy) -> PasswordHash
    { try await hash(password.text, for: origin.owner(in: team)) }

    /// Whether `hash` is a hash of the password, which is compared as normalized.
    ///
    /// A nil hash, for an account that does not exist, takes the same time and matches nothing; so does a text too long
    /// to be a password.
    public func matches(_ password: String, _ hash: PasswordHash?, in team: TeamID, from origin: Origin)
        async throws(Busy) -> Bool
    {
        let normalized = password.normalizedPassword
        let isPossible = normalized.isPossiblePassword
        return try await run(for: origin.owner(in: team)) { argon2id throws(Argon2id.Failure) in
            try argon2id.verify(isPossible ? normalized : "", against: isPossible ? hash : nil)
        }
    }

    /// Replacement for `hash`, which was just found to be of the password; nil if its parameters are up to date.
    func rehash(_ password: String, replacing hash: PasswordHash, in team: TeamID, from origin: Origin)
        async throws(Busy) -> PasswordHash?
    {
        guard argon2id.needsRehash(hash) else { return nil }
        return try await self.hash(password.normalizedPassword, for: origin.owner(in: team))
    }

    private func hash(_ password: String, for owner: String) async throws(Busy) -> PasswordHash {
        try await run(for: owner) { argon2id throws(Argon2id.Failure) in try argon2id.hash(password) }
    }

    /// Runs `body` in the pool; missing memory counts as overload, as a full queue does.
    private func run<Result: Sendable>(
        for owner: String, _ body: @escaping @Sendable (Argon2id) throws(Argon2id.Failure) -> Result
    ) async throws(Busy) -> Result {
        do { return try await pool.run(for: owner) { [argon2id] in try body(argon2id) } } catch { throw Busy() }
    }
}
