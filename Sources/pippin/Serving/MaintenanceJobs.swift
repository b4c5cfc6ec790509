import Accounts
import Bytes
import Directory
import Domain
import Federation
import Jobs
import Mail
import OAuth
import Registry
import Tenancy

/// Periodic work for the whole installation.
enum MaintenanceJobs {
    /// The schedules, run on the loop of `services`.
    static func schedules(on services: LoopServices, server: ServerContext, allowsLoopback: Bool) -> [Schedule] {
        let system = SystemDatabase(services.system)
        let app = services.database
        let tokens = TeamTokenEndStore(app, server: server, accounts: AccountDeletion(app, random: server.random))
        let deletion = TeamDeletionRound(app, system, obligations: [tokens])
        let round = RegistryCheckRound(system, services.checks(allowsLoopback: allowsLoopback))
        return [
            Schedule("slots.sweep", every: .seconds(240)) {
                try await TimePartitionSweep(database: system).run(at: .now())
            }, Schedule("partitions.make", every: .seconds(3600)) { try await Partitions(database: system).make() },
            Schedule("registry.check", every: RegistryCheckRound.interval) { try await round.run() },
            Schedule("teams.delete", every: .seconds(60)) { try await deletion.run() },
            // Often, because what was posted to Pippin is large.
            Schedule("retention.apply", every: .seconds(60)) { try await Retention(system).apply() },
        ]
    }
}
