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
            Schedule("audit.shorten", every: .seconds(3600)) { try await rounds.shorten() },
        ]
    }

    /// The head of a chain: whoever cuts off its end in the database does not cut it here.
    private static func tell(_ head: AuditHead, _ log: Log) {
        log(
            .info,
            "audit.sealed",
            ("team", head.team.rawValue),
            ("position", String(head.position)),
            ("code", head.codeText)
        )
    }
}
