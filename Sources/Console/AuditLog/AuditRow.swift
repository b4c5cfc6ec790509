import Audit
import Domain
import HTTP
import Templates
import Web

/// An event with everything that was kept of it.
struct AuditRow: Sendable {
    let entry: AuditEntry
    let team: TeamID

    static func id(of entry: AuditEntry) -> String { "event-\(entry.id)" }

    static let fields = Fields<AuditRow>()
        .text("id") { AuditRow.id(of: $0.entry) }
        .group("time", TimeView.fields) { TimeView($0.entry.at) }
        .text("actor") { $0.entry.shownActor }
        .words("action") { AuditWords.action($0.entry.action) }
        .optionalText("target") { $0.entry.shownTarget }
        .optionalText("targetURL") { $0.targetURL }
        .optionalText("ip") { $0.entry.ip }
        .optionalText("agent") { $0.entry.userAgent }
        .optionalText("requestID") { $0.entry.requestID }
        .flag("refused") { $0.entry.outcome == .refused }
        .list("changes", AuditChange.fields) { AuditChange.all(of: $0.entry) }

    /// The page of what the event is about; it may be gone, which its page then says.
    private var targetURL: String? {
        switch entry.targetKind {
        case "app_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.appID.link(team, $0) }
        case "service_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.serviceID.link(team, $0) }
        case "key": KeyID(rawValue: entry.target).map { ConsoleRoutes.key.link(team, $0) }
        case "user": Subject(rawValue: entry.target).map { ConsoleRoutes.user.link(team, $0) }
        default: nil
        }
    }
}
