import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// An event with all its changes; in a list, long values are cut.
struct AuditRow: Sendable {
    let entry: AuditEntry
    let team: TeamID
    /// Whether long values are cut, as in a list; the event's own page shows them in full.
    var isShort = false

    static let fields = Fields<AuditRow> {
        $0.text("url") { ConsoleRoutes.auditEvent.link($0.team, AuditReference($0.entry.place)) }
        $0.group("time", TimeView.fields) { TimeView($0.entry.at) }
        $0.words("actor") { $0.entry.shownActor }
        $0.text("actorURL") { $0.log([("actor", $0.entry.actor)]) }
        $0.words("action") { AuditMessages.action($0.entry.action) }
        $0.optionalWords("target") { $0.entry.shownTarget }
        $0.optionalText("targetID") { $0.entry.targetID }
        $0.optionalText("targetURL") { $0.targetURL }
        $0.text("historyURL") { $0.log([("target", $0.entry.target), ("kind", $0.entry.targetKind)]) }
        $0.optionalText("ip") { $0.entry.ip }
        $0.optionalText("agent") { $0.entry.userAgent }
        $0.optionalText("requestID") { $0.entry.requestID }
        $0.flag("refused") { $0.entry.outcome == .refused }
        $0.list("changes", AuditChange.fields) { $0.changes }
    }

    private var changes: [AuditChange] {
        isShort ? AuditChange.beginnings(before: entry.before, after: entry.after) : AuditChange.all(of: entry)
    }

    /// URL of the audit log with these filters.
    func log(_ parameters: [(name: String, value: String)]) -> String {
        "\(ConsoleRoutes.audit.link(team))?\(FormCoding.encode(parameters))"
    }

    /// URL of the target's page, which responds with 404 if the target no longer exists; nil if its kind has no page.
    var targetURL: String? {
        switch entry.targetKind {
        case "app_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.appID.link(team, $0) }
        case "service_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.serviceID.link(team, $0) }
        case "key": KeyID(rawValue: entry.target).map { ConsoleRoutes.key.link(team, $0) }
        case "user": Subject(rawValue: entry.target).map { ConsoleRoutes.user.link(team, $0) }
        default: nil
        }
    }
}
