import Crypto
import Directory
import Log

extension Serving {
    /// What a house serves.
    ///
    /// - Parameters:
    ///   - argon2id: the cost of a password.
    ///   - page: where the requests under way are noted; nowhere without one.
    ///   - log: takes the lines of requests; the house's own where there is none.
    init(
        _ house: House,
        demo: Demo?,
        simulation: Simulation?,
        page: SharedPage? = nil,
        argon2id: Argon2id = .standard,
        log: Log? = nil
    ) {
        self.init(
            settings: house.installation.settings,
            context: house.context,
            hasher: PasswordHasher(
                pool: house.pools.passwords,
                judges: house.pools.judges,
                argon2id: argon2id
            ),
            pools: house.pools,
            watch: house.watch,
            refusalCount: house.refusals,
            log: log ?? house.log,
            demo: demo,
            script: simulation?.script,
            standIn: simulation?.standIn(in: house),
            certificates: house.certificates,
            isOpen: house.isReadyCheck,
            page: page
        )
    }
}
