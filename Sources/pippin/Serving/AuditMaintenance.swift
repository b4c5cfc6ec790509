import Audit
import Bytes
import Crypto
import Domain
import Jobs
import Log

/// Work on the audit logs beside requests: sealing within a minute, verification on request, retention.
enum AuditMaintenance {
    /// The schedules, run on the loop of `services`.
    static func schedules(on services: LoopServices, keyRing: KeyRing, log: Log) -> [Schedule] {
        let rounds = AuditRounds(services.database, system: SystemDatabase(services.system), keys: SealKeys(keyRing))
        return [
            Schedule("audit.seal", every: .seconds(20)) { try await rounds.seal { logSeal($0, log) } },
            // Separate from sealing, because verifying one long log must not delay the seals of the others.
            Schedule("audit.verify", every: .seconds(20)) { try await rounds.verify() },
            Schedule("audit.shorten", every: .seconds(3600)) {
                try await rounds.applyRetention(telling: { note($0, $1, log) }) { warn($0, $1, log) }
            },
        ]
    }

    /// Logs the events deleted by retention, a record that access to the database alone cannot remove.
    private static func note(_ team: TeamID, _ outcome: AuditRetentionStore.Outcome, _ log: Log) {
        log(
            .info, "audit.shortened", ("team", team.rawValue), ("events", String(outcome.removed)),
            ("through", String(outcome.through)), ("days", String(outcome.days)))
    }

    /// Logs that retention stopped because the log was changed in the database without the master key.
    private static func warn(_ team: TeamID, _ findings: [AuditFinding], _ log: Log) {
        log(
            .error, "audit.retention_stopped", ("team", team.rawValue), ("findings", String(findings.count)),
            ("first", findings[0].kind.rawValue), ("event", findings[0].place?.id ?? findings[0].detail))
    }

    /// Logs the head of a chain, so that a chain cut off in the database can still be detected.
    private static func logSeal(_ head: AuditHead, _ log: Log) {
        log(.info, "audit.sealed", ("team", head.team.rawValue), ("head", head.text))
    }
}
