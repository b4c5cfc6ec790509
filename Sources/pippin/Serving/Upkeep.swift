import AuthEngine
import Bytes
import Directory
import Domain
import Jobs
import Mail
import Registry
import Tenancy

/// What is done now and then for the whole installation, whoever asks or not.
enum Upkeep {
    /// The schedules, kept on that worker's loop.
    static func schedules(on worker: Worker, context: EngineContext, allowsLoopback: Bool) -> [Schedule] {
        let system = SystemDatabase(worker.system)
        let app = TeamDatabase(worker.app)
        let mailbox = MailboxStore(app)
        let tokens = TeamTokenEndStore(app, context: context)
        let deletion = TeamDeletionRound(app, system, obligations: [tokens])
        let round = RegistryCheckRound(system, worker.checks(allowsLoopback: allowsLoopback))
        return [
            Schedule("slots.sweep", every: .seconds(240)) {
                try await SlotSweep(database: system).run(at: .now())
            },
            Schedule("partitions.make", every: .seconds(3600)) {
                try await Partitions(database: system).make()
            },
            Schedule("registry.check", every: RegistryCheckRound.interval) { try await round.run() },
            Schedule("teams.delete", every: .seconds(60)) { try await deletion.run() },
            Schedule("jobs.purge", every: .seconds(600), purging: .jobs, in: system),
            Schedule("sessions.purge", every: .seconds(3600), purging: .sessions, in: system),
            Schedule("limits.purge", every: .seconds(900), purging: .limits, in: system),
            Schedule("mailed_links.purge", every: .seconds(3600), purging: .mailedLinks, in: system),
            Schedule(
                "native.purge",
                every: .seconds(600),
                purging: .nativeHandovers,
                .providerAnnouncements,
                .providerPartings,
                in: system
            ),
            Schedule("mailbox.purge", every: .seconds(3600)) { try await mailbox.purge() },
        ]
    }
}
