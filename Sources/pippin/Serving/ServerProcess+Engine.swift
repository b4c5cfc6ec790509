import Accounts
import Crypto
import Domain
import EventLoop
import Federation
import Jobs
import Notifications
import OAuth
import Operations
import SignInTrace

/// The engine's work beside requests: notifications to apps, upstream tokens, and rotation of signing keys.
extension ServerProcess {
    /// Registers the jobs that deliver notifications and that remove the remaining data of deleted users.
    func registerNotifications(in handlers: inout JobHandlers, on services: LoopServices) {
        NotificationDelivery(
            server: server, database: services.database, signers: services.teams,
            client: services.outgoing.notifications, allowsLoopback: installation.settings.allowsLoopback
        ).register(in: &handlers)
        UserTraces(services.database).register(in: &handlers)
    }

    /// Registers the jobs that revoke and validate upstream tokens and that verify upstream notifications.
    func registerProviders(in handlers: inout JobHandlers, on services: LoopServices) {
        let (apple, database, teams) = (services.apple, services.database, services.teams)
        let accounts = AccountDeletion(database, random: server.random)
        UpstreamTokenWork(apple, server: server, database: database, teams: teams, accounts: accounts).register(
            in: &handlers)
        UpstreamNotifications(apple, server: server, database: database, teams: teams, accounts: accounts).register(
            in: &handlers)
    }

    /// Schedules for upstream tokens, requests and notifications.
    func providerSchedules(on services: LoopServices) -> [Schedule] {
        let (database, system) = (services.database, SystemDatabase(services.system))
        let validations = UpstreamValidationRound(
            database, system: system, server: server, accounts: AccountDeletion(database, random: server.random))
        let settlement = UpstreamRequestSettlement(
            services.apple, server: server, database: database, system: system, teams: services.teams)
        return [
            Schedule("providers.validate", every: UpstreamValidationRound.interval) { try await validations.run() },
            Schedule("providers.settle", every: UpstreamRequestSettlement.interval) { try await settlement.run() },
        ]
    }

    /// Schedules for signing keys and for the deletion of expired rows.
    func engineSchedules(on services: LoopServices) -> [Schedule] {
        let system = SystemDatabase(services.system)
        let (pool, clock, watch) = (pools.signingKeys, server.clock, watch)
        let rotation = SigningKeyRotation(services.database, keyRing: server.keyRing) { team in
            try await pool.run(for: team.rawValue) { try RSASigningKey.generate() }
        }
        return [
            Schedule("keys.rotate", every: .seconds(6 * 3600)) {
                try await rotation.keepAll(try await TeamEnumerationStore(system).list(), at: clock) {
                    watch.announce($0)
                }
            }
        ]
    }
}
