import Audit
import Bytes
import Domain

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
        guard let text = options.argument("head") else { return .verify(team: id, head: nil) }
        let parts = text.split(separator: ":")
        guard id != nil, parts.count == 2, let position = Int(parts[0]) else {
            options.complain("--head is POSITION:CODE of the team that --team names, not \(text)")
            return .verify(team: id, head: nil)
        }
        let code = String(decoding: parts[1].utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        return .verify(team: id, head: KnownHead(position: position, code: code))
    }

    private static func day(_ options: inout Options) -> Timestamp? {
        guard let text = options.argument("since") else { return nil }
        let day = Timestamp(day: text)
        if day == nil { options.complain("--since is a day such as 2026-01-31, not \(text)") }
        return day
    }

    private static func notATeam(_ text: String) -> String { "\(text) is not a Team ID: 10 characters A-Z and 0-9" }
}
