import Audit
import Bytes
import Domain
import EventLoop

/// `pippin audit verify` and `pippin audit export`.
struct AuditCommand {
    enum Task: Sendable {
        case verify(team: TeamID?, head: KnownHead?)
        case export(team: TeamID, format: AuditExportFormat, since: Timestamp?)
    }

    /// A head that was logged or exported earlier and must still be part of the chain.
    struct KnownHead: Sendable {
        let position: Int
        let code: String
    }

    let settings: Settings
    let task: Task

    func run() throws(CommandFailure) -> ExitStatus {
        let (installation, _) = try Installation.open(settings)
        defer { installation.close() }
        let process = try ServerProcess(installation)
        defer { process.close() }
        switch task {
        case .verify(let team, let head): return try verify(team, head, process)
        case .export(let team, let format, let since): return try export(team, format, since, process)
        }
    }
}

// Verifying.
extension AuditCommand {
    private func verify(_ team: TeamID?, _ known: KnownHead?, _ process: ServerProcess) throws(CommandFailure)
        -> ExitStatus
    {
        let worker = process.loopServices[0]
        let database = worker.database
        let store = AuditVerificationStore(database, keys: SealKeys(process.server.keyRing))
        let chains = AuditChainStore(database)
        let backlog = AuditBacklogStore(SystemDatabase(worker.system))
        do {
            let isWhole = try worker.loop.wait {
                var isWhole = true
                let teams = if let team { [team] } else { try await backlog.teams() }
                for team in teams {
                    var problems = try await store.verify(in: team).problems
                    if let known, try await chains.code(at: known.position, in: team) != known.code {
                        problems.append("position \(known.position) does not have the code that was noted")
                    }
                    Self.report(team, problems, try await chains.find(in: team))
                    if !problems.isEmpty { isWhole = false }
                }
                return isWhole
            }
            return isWhole ? .success : .refused
        } catch { throw CommandFailure("the log cannot be verified: \(error)") }
    }

    private static func report(_ team: TeamID, _ problems: [String], _ chain: AuditChain) {
        let head = chain.head.map { "sealed up to \($0.text)" } ?? "nothing sealed yet"
        let waiting = chain.waiting == 0 ? "" : ", \(chain.waiting) waiting"
        Terminal.say("team \(team): \(problems.isEmpty ? "whole" : "NOT WHOLE"), \(head)\(waiting)")
        for problem in problems { Terminal.say("  \(problem)") }
    }
}

extension AuditReport {
    /// One line per finding.
    fileprivate var problems: [String] { findings.map(\.line) + (isTruncated ? ["and more of the kind"] : []) }
}

extension AuditFinding {
    fileprivate var line: String {
        let event = place.map { "event \($0.id) of \($0.at.precise)" } ?? "an event"
        return switch kind {
        case .changed: "\(event) was changed"
        case .removed: "\(event) was removed"
        case .inserted: "\(event) was inserted"
        case .cut: "events and seals were removed: position \(detail)"
        case .checkpoint: "the checkpoint at \(detail) is not one of ours"
        case .key: "seals of master key \(detail) cannot be checked: it is not among the keys"
        }
    }
}

// Exporting.
extension AuditCommand {
    private func export(_ team: TeamID, _ format: AuditExportFormat, _ since: Timestamp?, _ process: ServerProcess)
        throws(CommandFailure) -> ExitStatus
    {
        let store = AuditExportStore(process.loopServices[0].database)
        var filter = AuditFilter()
        filter.since = since
        do {
            try process.loopServices[0].loop.wait { [filter] in
                let export = try await store.begin(
                    filter, asked: since.map { ["since": .string($0.description)] } ?? [:], as: format, in: team,
                    by: .command("audit export"), from: .local)
                while let piece = try await export.next() { Terminal.pass(piece) }
            }
        } catch { throw CommandFailure("the log cannot be exported: \(error)") }
        return .success
    }
}
