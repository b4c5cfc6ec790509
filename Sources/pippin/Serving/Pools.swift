import Directory
import EventLoop

/// The threads for what would keep a loop: by kinds of work, so that none waits for another, and each shared fairly
/// between teams.
struct Pools: Sendable {
    /// Where passwords are hashed and compared.
    let passwords: BlockingPool
    /// Where new passwords are judged.
    let judges: BlockingPool
    /// Where RSA keys are made.
    let signingKeys: BlockingPool
    /// Where the database server's name is looked up.
    let lookups: BlockingPool
    /// Where what large teams registered is read.
    let registries: BlockingPool

    init(cores: Int) throws(EventLoop.Failure) {
        // One core is left to the requests that hash nothing; each hash under way also holds 19 MiB.
        passwords = try BlockingPool(
            name: "passwords",
            threads: max(1, cores - 1),
            queueLimit: PasswordHasher.places
        )
        // Nobody signs in by a password that is still to be chosen, so judging takes what the cores have left.
        judges = try BlockingPool(
            name: "judges",
            threads: 1,
            queueLimit: PasswordHasher.judgePlaces,
            priority: .low
        )
        // Nobody's sign-in waits for a key, so it takes what the cores have left.
        signingKeys = try BlockingPool(name: "signing-keys", threads: 1, queueLimit: 64, priority: .low)
        // A look-up may take minutes where no name server answers, on every loop at once.
        lookups = try BlockingPool(name: "lookups", threads: 2, queueLimit: 256)
        // The work of a few large teams, for each loop once after a change.
        registries = try BlockingPool(name: "registries", threads: 1, queueLimit: 256)
    }

    /// Finishes what was accepted, then ends the threads.
    ///
    /// - Parameter limit: after it threads are left to their calls, those of each pool.
    func stop(within limit: Duration) {
        for pool in [passwords, judges, signingKeys, lookups, registries] { pool.stop(within: limit) }
    }
}
