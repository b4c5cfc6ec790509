import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Federation
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// The jobs that a process runs beside its requests, on the first of its loops.
struct BackgroundJobs {
    private let settings: Settings
    private let server: ServerContext
    private let services: LoopServices
    private let signingKeys: BlockingPool
    private let watch: RegistryWatch
    private let log: Log

    init(of process: ServerProcess) {
        (settings, server, services) = (process.installation.settings, process.server, process.loopServices[0])
        (signingKeys, watch, log) = (process.pools.signingKeys, process.watch, process.log)
    }

    /// The handlers of all kinds of jobs.
    func handlers(_ mail: MailSender) -> JobHandlers {
        let database = services.database
        let accounts = AccountDeletion(database, random: server.random)
        var handlers = JobHandlers()
        mail.register(with: &handlers)
        NotificationDelivery(
            server: server, database: database, teams: services.teams, client: services.outgoing.notifications,
            allowsLoopback: settings.allowsLoopback
        ).register(in: &handlers)
        UserTraces(database).register(in: &handlers)
        UpstreamTokenWork(services.apple, server: server, database: database, teams: services.teams, accounts: accounts)
            .register(in: &handlers)
        UpstreamNotifications(
            services.apple, server: server, database: database, teams: services.teams, accounts: accounts
        ).register(in: &handlers)
        addMaintenance(to: &handlers)
        addAppleWork(to: &handlers, accounts)
        addAudit(to: &handlers)
        return handlers
    }

    private func addMaintenance(to handlers: inout JobHandlers) {
        let (database, system) = (services.database, SystemDatabase(services.system))
        handlers.recurring("time_partitions.sweep", every: .seconds(240)) {
            try await TimePartitionSweep(database: system).run(at: .now())
        }
        handlers.recurring("partitions.make", every: .seconds(3600)) { try await Partitions(database: system).make() }
        // Often, because what was posted to Pippin is large.
        handlers.recurring("retention.apply", every: .seconds(60)) { try await Retention(system).apply() }
        let search = UserSearchRound(database, system: system)
        handlers.recurring("users.index", every: .seconds(20)) { try await search.run() }
        let checks = RegistryCheckRound(system, services.checks(allowsLoopback: settings.allowsLoopback))
        handlers.recurring("registry.check", every: RegistryCheckRound.interval) { try await checks.run() }
        let (pool, clock, watch) = (signingKeys, server.clock, watch)
        let rotation = SigningKeyRotation(database, keyRing: server.keyRing) { team in
            try await pool.run(for: team.rawValue) { try RSASigningKey.generate() }
        }
        handlers.recurring("keys.rotate", every: .seconds(6 * 3600)) {
            try await TeamEnumerationStore(system).list().forEachTeam { team in
                if try await rotation.keep(team, at: clock()) { watch.announce(team) }
            }
        }
    }

    private func addAppleWork(to handlers: inout JobHandlers, _ accounts: AccountDeletion) {
        let (database, system, apple) = (services.database, SystemDatabase(services.system), services.apple)
        let tokens = TeamTokenEndStore(database, server: server, accounts: accounts)
        let deletion = TeamDeletionRound(database, system, obligations: [tokens])
        handlers.recurring("teams.delete", every: .seconds(60)) { try await deletion.run() }
        let validations = UpstreamValidationRound(database, system: system, server: server, accounts: accounts)
        handlers.recurring("upstream.validate", every: UpstreamValidationRound.interval) { try await validations.run() }
        let settlement = UpstreamRequestSettlement(
            apple, server: server, database: database, system: system, teams: services.teams)
        handlers.recurring("upstream.settle", every: UpstreamRequestSettlement.interval) { try await settlement.run() }
        guard settings.watchesApple else { return }
        let log = log
        let watch = AppleWatch(database, apple: apple, clock: server.clock) { document in
            // Apple changes its keys routinely, so a change of keys is only a warning.
            log(
                document.name == .keys ? .warning : .error, "apple.drift", ("document", document.name.rawValue),
                ("members", document.differences.map(\.name).joined(separator: " ")))
        }
        handlers.recurring("apple.watch", every: AppleWatch.interval) { try await watch.check() }
    }

    /// Work on the audit logs: sealing within a minute, verification daily and on request, retention.
    private func addAudit(to handlers: inout JobHandlers) {
        let log = log
        // A log was changed in the database without the master key.
        let alarm: @Sendable (StaticString, TeamID, [AuditFinding]) -> Void = { event, team, findings in
            log(
                .error, event, ("team", team.rawValue), ("findings", String(findings.count)),
                ("first", findings[0].kind.rawValue), ("event", findings[0].place?.id ?? findings[0].detail))
        }
        let rounds = AuditRounds(
            services.database, system: SystemDatabase(services.system), keys: SealKeys(server.keyRing))
        handlers.recurring("audit.seal", every: .seconds(20)) {
            // The head of a chain, so that a chain cut off in the database can still be detected.
            try await rounds.seal { log(.info, "audit.sealed", ("team", $0.team.rawValue), ("head", $0.text)) }
        }
        // Separate from sealing, because verifying one long log must not delay the seals of the others.
        handlers.recurring("audit.verify", every: .seconds(20)) { try await rounds.verify() }
        // It fails where a log is not whole, so that the list of jobs and the metrics show it.
        handlers.recurring("audit.verify_all", every: .seconds(86_400)) {
            try await rounds.verifyAll { alarm("audit.not_whole", $0, $1) }
        }
        handlers.recurring("audit.shorten", every: .seconds(3600)) {
            try await rounds.applyRetention { team, outcome in
                // A record of the deletions that access to the database alone cannot remove.
                log(
                    .info, "audit.shortened", ("team", team.rawValue), ("events", String(outcome.removed)),
                    ("through", String(outcome.through)), ("days", String(outcome.days)))
            } _: {
                alarm("audit.retention_stopped", $0, $1)
            }
        }
    }
}

extension Settings {
    /// False if only this machine reaches Pippin and the simulator is off, because Apple cannot send users there.
    var watchesApple: Bool { !publicURL.isLoopback || simulatesApple }
}
