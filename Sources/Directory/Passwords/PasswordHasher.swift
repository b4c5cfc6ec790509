public import Crypto
public import Domain
public import EventLoop

/// Hashes and compares passwords off the loops, a few at a time.
///
/// A hash keeps a core busy for some 20 ms and holds 19 MiB, so the pool decides what sign-ins may cost: a thread for
/// each core but one, and a queue that a person still waits for. Its threads are shared fairly between teams: one whose
/// passwords are being guessed delays its own sign-ins, and nobody else's by more than the hashes under way.
public struct PasswordHasher: Sendable {
    /// More wait already than a person would wait for.
    public struct Busy: Error, Sendable {}

    /// How many passwords wait for a thread at most, of all teams together.
    public static let places = 256
    /// How many new passwords wait to be judged at most, of all teams together.
    public static let judgePlaces = 64

    private let pool: BlockingPool
    let judges: BlockingPool
    private let argon2id: Argon2id
    private let held: PasswordPlaces
    /// The places in `judges`.
    let judged: PasswordPlaces

    /// - Parameters:
    ///   - pool: one thread for each core but one, shared by all loops; nothing slower should wait in its queue.
    ///   - judges: where new passwords are judged. Apart from `pool`, within a team too: however many choose a password,
    ///     those who have one sign in.
    ///   - places: how many calls may wait in `pool`, which no account or network may fill alone.
    public init(
        pool: BlockingPool,
        judges: BlockingPool,
        argon2id: Argon2id = .standard,
        places: Int = PasswordHasher.places
    ) {
        self.pool = pool
        self.judges = judges
        self.argon2id = argon2id
        held = PasswordPlaces(places)
        judged = PasswordPlaces(Self.judgePlaces, networkShare: 2)
    }

    /// Hashes a new password under a new salt.
    public func hash(_ password: NewPassword, for team: TeamID) async throws(Busy) -> PasswordHash {
        try await hash(password.text, for: team)
    }

    /// Whether `hash` was made of `password`.
    ///
    /// Nil, an account that does not exist, takes the same time and is false; so is a text that no rule would have
    /// let become a password.
    func verify(
        _ password: String,
        against hash: PasswordHash?,
        in team: TeamID,
        for askers: PasswordPlaces.Askers
    ) async throws(Busy) -> Bool {
        guard held.enter(askers, in: team) else { throw Busy() }
        defer { held.leave(askers, in: team) }
        let isPossible =
            password.unicodeScalars.prefix(NewPassword.maximumLength + 1).count <= NewPassword.maximumLength
        return try await run(for: team) { argon2id throws(Argon2id.Failure) in
            try argon2id.verify(isPossible ? password : "", against: isPossible ? hash : nil)
        }
    }

    /// The hash that should replace `hash`, which was just found to be of `password`; nil when it is good as it is.
    func rehash(
        _ password: String,
        replacing hash: PasswordHash,
        in team: TeamID
    ) async throws(Busy) -> PasswordHash? {
        argon2id.needsRehash(hash) ? try await self.hash(password, for: team) : nil
    }

    private func hash(_ password: String, for team: TeamID) async throws(Busy) -> PasswordHash {
        try await run(for: team) { argon2id throws(Argon2id.Failure) in try argon2id.hash(password) }
    }

    /// Missing memory is a machine with too much to do, just as a full queue is.
    private func run<Result: Sendable>(
        for team: TeamID,
        _ body: @escaping @Sendable (Argon2id) throws(Argon2id.Failure) -> Result
    ) async throws(Busy) -> Result {
        do {
            return try await pool.run(for: team.rawValue) { [argon2id] in try body(argon2id) }
        } catch {
            throw Busy()
        }
    }
}
