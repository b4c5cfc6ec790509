import Directory
import EventLoop
import Platform

/// Threads for work that would block a loop.
///
/// Each kind of work has its own pool, so that none waits for another, and teams share each pool fairly.
struct Pools: Sendable {
    /// Hashes and compares passwords.
    let passwords: BlockingPool
    /// Checks the strength of new passwords.
    let judges: BlockingPool
    /// Generates RSA keys.
    let signingKeys: BlockingPool
    /// Looks up the database server's host name.
    let lookups: BlockingPool
    /// Reads the registries of large teams.
    let registries: BlockingPool
    /// Talks to the mail server, which may take minutes to answer.
    let mail: BlockingPool

    init(cores: Int) throws(EventLoop.Failure) {
        // One core is left to the requests that hash nothing; each hash under way also uses 19 MiB.
        passwords = try BlockingPool(name: "passwords", threads: max(1, cores - 1), queueLimit: PasswordHasher.places)
        // Low priority, because no sign-in waits for the check of a new password.
        judges = try BlockingPool(name: "judges", threads: 1, queueLimit: 64, priority: .low)
        // Low priority, because no sign-in waits for a new key.
        signingKeys = try BlockingPool(name: "signing-keys", threads: 1, queueLimit: 64, priority: .low)
        // A lookup may take minutes if no name server answers, on every loop at once.
        lookups = try BlockingPool(name: "lookups", threads: 2, queueLimit: 256)
        // One thread is enough for a few large teams, which each loop reads once after a change.
        registries = try BlockingPool(name: "registries", threads: 1, queueLimit: 256)
        // As many as the worker runs urgent jobs at once, and two for operators who try the mail server meanwhile.
        mail = try BlockingPool(name: "mail", threads: JobWorker.Options().urgentPlaces + 2, queueLimit: 64)
    }

    /// Finishes the accepted calls, then ends the threads.
    ///
    /// - Parameter limit: time for each pool, after which threads in a call are left behind.
    func stop(within limit: Duration) {
        for pool in [passwords, judges, signingKeys, lookups, registries, mail] { pool.stop(within: limit) }
    }
}
