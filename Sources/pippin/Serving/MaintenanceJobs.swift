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
        let mailbox = MailboxStore(app)
        let tokens = TeamTokenEndStore(app, server: server, accounts: AccountDeletion(app, random: server.random))
        let deletion = TeamDeletionRound(app, system, obligations: [tokens])
        let round = RegistryCheckRound(system, services.checks(allowsLoopback: allowsLoopback))
        return [
            Schedule("slots.sweep", every: .seconds(240)) {
                try await TimePartitionSweep(database: system).run(at: .now())
            }, Schedule("partitions.make", every: .seconds(3600)) { try await Partitions(database: system).make() },
            Schedule("registry.check", every: RegistryCheckRound.interval) { try await round.run() },
            Schedule("teams.delete", every: .seconds(60)) { try await deletion.run() },
            Schedule("jobs.purge", every: .seconds(600), purging: .jobs, in: system),
            Schedule("sessions.purge", every: .seconds(3600), purging: .sessions, in: system),
            Schedule("limits.purge", every: .seconds(900), purging: .limits, in: system),
            Schedule("mailed_links.purge", every: .seconds(3600), purging: .mailedLinks, in: system),
            Schedule(
                "native.purge", every: .seconds(600), purging: .nativeHandovers, .providerAnnouncements,
                .providerPartings, in: system),
            Schedule("mailbox.purge", every: .seconds(3600)) { try await mailbox.purge() },
        ]
    }
}
