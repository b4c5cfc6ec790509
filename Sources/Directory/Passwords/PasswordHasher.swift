import Core
public import Crypto
public import EventLoop
public import Platform

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

    /// The spelling of `password` that `hash` is a hash of, as typed or normalized; nil if neither is.
    ///
    /// Hashes of version 0.2 and earlier are of passwords as typed. Text that is normalized already, as all ASCII is,
    /// is compared once. A nil hash, for an account that does not exist, takes the same time and matches nothing; so
    /// does a text too long to be a password.
    func spelling(_ password: String, of hash: PasswordHash?, in team: TeamID) async throws(Busy) -> String? {
        let normalized = password.normalizedPassword
        var spellings = [password]
        if !normalized.isExactly(password) { spellings.append(normalized) }
        spellings.removeAll { !$0.isPossiblePassword }
        let candidates = spellings.isEmpty ? [""] : spellings
        let hash = spellings.isEmpty ? nil : hash
        return try await run(for: team) { argon2id throws(Argon2id.Failure) in
            for spelling in candidates where try argon2id.verify(spelling, against: hash) { return spelling }
            return nil
        }
    }

    /// Replacement for `hash`, which was just found to be of `spelling`; nil if its parameters are up to date and the
    /// spelling is the normalized one.
    func rehash(_ spelling: String, replacing hash: PasswordHash, in team: TeamID) async throws(Busy) -> PasswordHash? {
        let normalized = spelling.normalizedPassword
        guard normalized.isPossiblePassword, !normalized.isExactly(spelling) || argon2id.needsRehash(hash) else {
            return nil
        }
        return try await self.hash(normalized, for: team)
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
