public import Crypto
public import EventLoop

/// Hashes and compares passwords off the loops, a few at a time.
///
/// A hash keeps a core busy for some 20 ms and holds 19 MiB, so the pool decides what sign-ins may cost: as many
/// threads as cores, and a queue that a person still waits for.
public struct PasswordHasher: Sendable {
    /// More wait already than a person would wait for.
    public struct Busy: Error, Sendable {}

    private let pool: BlockingPool
    private let argon2id: Argon2id

    /// - Parameter pool: one thread a core, shared by all loops; nothing slower should wait in its queue.
    public init(pool: BlockingPool, argon2id: Argon2id = .standard) {
        self.pool = pool
        self.argon2id = argon2id
    }

    /// Hashes a new password under a new salt.
    public func hash(_ password: NewPassword) async throws(Busy) -> PasswordHash {
        try await hash(password.text)
    }

    /// Whether `hash` was made of `password`.
    ///
    /// Nil, an account that does not exist, takes the same time and is false; so is a text that no rule would have
    /// let become a password.
    func verify(_ password: String, against hash: PasswordHash?) async throws(Busy) -> Bool {
        let isPossible =
            password.unicodeScalars.prefix(NewPassword.lengths.upperBound + 1).count
            <= NewPassword.lengths.upperBound
        return try await run { argon2id throws(Argon2id.Failure) in
            try argon2id.verify(isPossible ? password : "", against: isPossible ? hash : nil)
        }
    }

    /// The hash that should replace `hash`, which was just found to be of `password`; nil when it is good as it is.
    func rehash(_ password: String, replacing hash: PasswordHash) async throws(Busy) -> PasswordHash? {
        argon2id.needsRehash(hash) ? try await self.hash(password) : nil
    }

    private func hash(_ password: String) async throws(Busy) -> PasswordHash {
        try await run { argon2id throws(Argon2id.Failure) in try argon2id.hash(password) }
    }

    /// Missing memory is a machine with too much to do, just as a full queue is.
    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (Argon2id) throws(Argon2id.Failure) -> Result
    ) async throws(Busy) -> Result {
        do {
            return try await pool.run { [argon2id] in try body(argon2id) }
        } catch {
            throw Busy()
        }
    }
}
