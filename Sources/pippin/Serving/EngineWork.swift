import AuthEngine
import Crypto
import Domain
import EventLoop
import Jobs

/// What the engine does beside requests: notices to apps, and signing keys that come and go.
extension House {
    /// Has notices delivered, and what is left of people who are gone removed, by jobs on that worker's loop.
    func registerNotices(in handlers: inout JobHandlers, on worker: Worker) {
        NoticeDelivery(
            context: context,
            database: TeamDatabase(worker.app),
            teams: worker.teams,
            client: worker.outgoing.notices,
            allowsLoopback: installation.settings.allowsLoopback
        )
        .register(in: &handlers)
        PersonFlows(TeamDatabase(worker.app)).register(in: &handlers)
    }

    /// Has what providers gave revoked and validated, and what they told verified, by jobs on that worker's loop.
    func registerProviders(in handlers: inout JobHandlers, on worker: Worker) {
        let (apple, database) = (worker.apple, TeamDatabase(worker.app))
        ProviderTokenLife(apple, context: context, database: database, teams: worker.teams)
            .register(in: &handlers)
        ProviderNotices(apple, context: context, database: database, teams: worker.teams)
            .register(in: &handlers)
    }

    /// What is done now and then with people of providers.
    func providerSchedules(on worker: Worker) -> [Schedule] {
        let (database, system) = (TeamDatabase(worker.app), SystemDatabase(worker.system))
        let validations = ProviderValidationRound(database, system: system, context: context)
        let settlement = ProviderTripSettlement(
            worker.apple,
            context: context,
            database: database,
            system: system,
            teams: worker.teams
        )
        return [
            Schedule("providers.validate", every: ProviderValidationRound.interval) {
                try await validations.run()
            },
            Schedule("providers.settle", every: ProviderTripSettlement.interval) {
                try await settlement.run()
            },
            Schedule(
                "providers.purge",
                // Trips hold what was posted to them, which is large.
                every: .seconds(300),
                purging: .providerTrips,
                .providerTokens,
                .providerNotices,
                in: system
            ),
        ]
    }

    /// What the engine does now and then.
    func engineSchedules(on worker: Worker) -> [Schedule] {
        let system = SystemDatabase(worker.system)
        let (pool, clock, watch) = (pools.signingKeys, context.clock, watch)
        let rotation = SigningKeyRotation(TeamDatabase(worker.app), keyRing: context.keyRing) { team in
            try await pool.run(for: team.rawValue) { try RSASigningKey.generate() }
        }
        return [
            Schedule("keys.rotate", every: .seconds(6 * 3600)) {
                try await rotation.keepAll(try await EveryTeamStore(system).list(), at: clock) {
                    watch.announce($0)
                }
            },
            Schedule("notices.purge", every: .seconds(3600), purging: .notices, in: system),
            Schedule(
                "tokens.purge",
                every: .seconds(3600),
                purging: .refreshTokens,
                .tokenCutoffs,
                .deletionReceipts,
                in: system
            ),
            Schedule("clients.purge", every: .seconds(60), purging: .endedClients, in: system),
            Schedule("trials.purge", every: .seconds(3600), purging: .trials, in: system),
            Schedule(
                "transfers.purge",
                every: .seconds(3600),
                purging: .transferredPeople,
                .appTransfers,
                in: system
            ),
        ]
    }
}
