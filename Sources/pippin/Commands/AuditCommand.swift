import Accounts
import Core
import EventLoop
import Platform
import Registry

/// `pippin audit verify` and `pippin audit export`.
struct AuditCommand {
    enum Task: Sendable {
        case verify(team: TeamID?, heads: [TeamID: KnownHead])
        case export(team: TeamID, format: AuditExportFormat, since: Timestamp?)
    }

    /// A head that was logged or exported earlier and must still be part of the chain.
    struct KnownHead: Sendable {
        let position: Int
        let code: String

        /// Reads POSITION:CODE; nil if the text is of another form.
        init?(_ text: String) {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let position = Int(parts[0]) else { return nil }
            self.position = position
            code = String(decoding: parts[1].utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        }
    }

    let settings: Settings
    let task: Task

    func run() throws(CommandFailure) -> ExitStatus {
        try ServerProcess.run(settings) { process throws(CommandFailure) in try run(in: process) }
    }

    func run(in process: ServerProcess) throws(CommandFailure) -> ExitStatus {
        switch task {
        case .verify(let team, let heads): try verify(team, heads, process)
        case .export(let team, let format, let since): try export(team, format, since, process)
        }
    }
}

// Verifying.
extension AuditCommand {
    private func verify(_ team: TeamID?, _ heads: [TeamID: KnownHead], _ process: ServerProcess) throws(CommandFailure)
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
                    let report = try await store.verify(in: team)
                    try await chains.note(report, in: team, by: .command("audit verify"), from: .local)
                    var problems = report.problems
                    if let known = heads[team], try await chains.code(at: known.position, in: team) != known.code {
                        problems.append("position \(known.position) does not have the code that was noted")
                    }
                    Self.report(team, problems, try await chains.find(in: team))
                    if !problems.isEmpty { isWhole = false }
                }
                return isWhole
            }
            return isWhole ? .success : .refused
        } catch { throw CommandFailure("the log cannot be verified: \(describing: error)") }
    }

    private static func report(_ team: TeamID, _ problems: [String], _ chain: AuditChain) {
        let head = chain.head.map { "sealed up to \($0.text)" } ?? "nothing sealed yet"
        let waiting = chain.waiting == 0 ? "" : ", \(chain.waiting) waiting"
        Terminal.say("team \(team): \(problems.isEmpty ? "whole" : "NOT WHOLE"), \(head)\(waiting)")
        for problem in problems { Terminal.say("  \(problem)") }
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
        } catch { throw CommandFailure("the log cannot be exported: \(describing: error)") }
        return .success
    }
}

extension AuditCommand {
    /// Parses the arguments after `pippin audit`.
    static func parse(_ rest: [String]) throws(CommandFailure) -> Command {
        var options = Options(Array(rest.dropFirst()))
        switch rest.first {
        case "verify":
            let task = verification(&options)
            return .audit(try options.settings(operands: 0).settings, task)
        case "export":
            let format = options.argument("format") ?? AuditExportFormat.ndjson.rawValue
            let since = day(&options)
            if AuditExportFormat(rawValue: format) == nil {
                options.complain("--format is csv or ndjson, not \(format)")
            }
            let (settings, operands) = try options.settings(operands: 1, called: "TEAMID")
            guard let team = TeamID(rawValue: operands[0]), let format = AuditExportFormat(rawValue: format) else {
                throw CommandFailure(notATeam(operands[0]), status: .usage)
            }
            return .audit(settings, .export(team: team, format: format, since: since))
        default: throw CommandFailure("pippin audit verify, or pippin audit export; see --help", status: .usage)
        }
    }

    private static func verification(_ options: inout Options) -> Task {
        let team = options.argument("team")
        let id = team.flatMap(TeamID.init(rawValue:))
        if let team, id == nil { options.complain(notATeam(team)) }
        guard let text = options.argument("head") else { return .verify(team: id, heads: [:]) }
        guard let id, let head = KnownHead(text) else {
            options.complain("--head is POSITION:CODE of the team that --team names, not \(text)")
            return .verify(team: id, heads: [:])
        }
        return .verify(team: id, heads: [id: head])
    }

    private static func day(_ options: inout Options) -> Timestamp? {
        guard let text = options.argument("since") else { return nil }
        let day = Timestamp(day: text)
        if day == nil { options.complain("--since is a day such as 2026-01-31, not \(text)") }
        return day
    }

    private static func notATeam(_ text: String) -> String { "\(text) is not a Team ID: 10 characters A-Z and 0-9" }
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
        case .personChanged: "the name or address of \(detail) was changed"
        case .personMissing: "the name and address of \(detail) were removed"
        case .key: "seals of master key \(detail) cannot be checked: it is not among the keys"
        }
    }
}
