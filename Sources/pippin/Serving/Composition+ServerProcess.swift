import Crypto
import Directory
import Log

extension Composition {
    /// The composition for a server process.
    ///
    /// - Parameters:
    ///   - argon2id: cost of a password hash.
    ///   - log: receives the lines about requests; nil for the process's log.
    init(
        _ process: ServerProcess, demo: Demo?, simulation: Simulation?, argon2id: Argon2id = .standard, log: Log? = nil
    ) {
        self.init(
            settings: process.installation.settings, server: process.server,
            hasher: PasswordHasher(pool: process.pools.passwords, judges: process.pools.judges, argon2id: argon2id),
            pools: process.pools, watch: process.watch, refusalCount: process.refusals, log: log ?? process.log,
            demo: demo, script: simulation?.script, standIn: simulation?.standIn(in: process),
            certificates: process.certificates, isOpen: process.isReadyCheck)
    }
}
