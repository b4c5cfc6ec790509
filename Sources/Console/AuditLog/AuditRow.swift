import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// An event with everything that was kept of it, or in a list with the beginnings of what is long.
struct AuditRow: Sendable {
    let entry: AuditEntry
    let team: TeamID
    /// Whether it stands among others; the whole is on its own page.
    var isShort = false

    static let fields = Fields<AuditRow>()
        .text("url") { ConsoleRoutes.auditEvent.link($0.team, AuditReference($0.entry.place)) }
        .group("time", TimeView.fields) { TimeView($0.entry.at) }
        .words("actor") { $0.entry.shownActor }
        .text("actorURL") { $0.log([("actor", $0.entry.actor)]) }
        .words("action") { AuditWords.action($0.entry.action) }
        .optionalWords("target") { $0.entry.shownTarget }
        .optionalText("targetID") { $0.entry.targetID }
        .optionalText("targetURL") { $0.targetURL }
        .text("historyURL") { $0.log([("target", $0.entry.target), ("kind", $0.entry.targetKind)]) }
        .optionalText("ip") { $0.entry.ip }
        .optionalText("agent") { $0.entry.userAgent }
        .optionalText("requestID") { $0.entry.requestID }
        .flag("refused") { $0.entry.outcome == .refused }
        .list("changes", AuditChange.fields) { $0.changes }

    private var changes: [AuditChange] {
        isShort
            ? AuditChange.beginnings(before: entry.before, after: entry.after) : AuditChange.all(of: entry)
    }

    /// The log with these filters.
    func log(_ parameters: [(name: String, value: String)]) -> String {
        "\(ConsoleRoutes.audit.link(team))?\(FormCoding.encode(parameters))"
    }

    /// The page of what the event is about; it may be gone, which its page then says.
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
