import Audit
import Bytes
import Crypto
import Domain
import Jobs
import Log

/// What is done for the audit logs beside the requests: sealed within a minute, verified when asked, shortened.
enum AuditUpkeep {
    /// The schedules, kept on that worker's loop.
    static func schedules(on worker: Worker, keyRing: KeyRing, log: Log) -> [Schedule] {
        let rounds = AuditRounds(
            TeamDatabase(worker.app),
            system: SystemDatabase(worker.system),
            keys: SealKeys(keyRing)
        )
        return [
            Schedule("audit.seal", every: .seconds(20)) { try await rounds.seal { tell($0, log) } },
            // By itself: reading one long log again must not keep the others from being sealed.
            Schedule("audit.verify", every: .seconds(20)) { try await rounds.verify() },
            Schedule("audit.shorten", every: .seconds(3600)) {
                try await rounds.shorten { warn($0, $1, log) }
            },
        ]
    }

    /// Somebody changed a log past Pippin, who has the database and not the master key.
    private static func warn(_ team: TeamID, _ findings: [AuditFinding], _ log: Log) {
        log(
            .error,
            "audit.retention_stopped",
            ("team", team.rawValue),
            ("findings", String(findings.count)),
            ("first", findings[0].kind.rawValue),
            ("event", findings[0].place?.id ?? findings[0].detail)
        )
    }

    /// The head of a chain: whoever cuts off its end in the database does not cut it here.
    private static func tell(_ head: AuditHead, _ log: Log) {
        log(
            .info,
            "audit.sealed",
            ("team", head.team.rawValue),
            ("head", head.text)
        )
    }
}
