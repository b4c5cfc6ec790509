import Audit
import Bytes
import Domain
import HTTP
import Localization
import Templates
import Web

/// Page of one event: all stored data, and links to related events.
struct AuditEventPage: ConsolePage {
    static let template = "console/audit/show"
    static let fields = frameFields.with {
        $0.group("event", AuditRow.fields) { $0.row }
        $0.text("name") { $0.entry.action }
        $0.text("exact") { $0.entry.at.precise }
        $0.words("actorKind") { AuditMessages.kind($0.entry.actorKind) }
        $0.text("actorID") { $0.entry.actor }
        $0.optionalText("actorEmail") { $0.entry.actorPerson?.email }
        $0.words("targetKind") { AuditMessages.kind($0.entry.targetKind) }
        $0.text("targetID") { $0.entry.target }
        $0.optionalText("targetEmail") { $0.entry.targetPerson?.email }
        $0.words("outcome") { Message(in: "console.audit.outcome", $0.entry.outcome.rawValue) }
        $0.optionalText("ipURL") { page in page.entry.ip.map { page.row.log([("ip", $0)]) } }
        $0.optionalText("requestURL") { page in page.entry.requestID.map { page.row.log([("q", $0)]) } }
        $0.optionalGroup("request", CopyView.fields) { page in
            page.entry.requestID.map { CopyView(Message("console.audit.reference"), $0) }
        }
        $0.group("id", CopyView.fields) { CopyView(Message("console.audit.id"), $0.entry.id) }
        $0.optionalWords("seal") { page in page.seal.map { Message("console.audit.sealed-as", count: $0.position) } }
        $0.optionalGroup("sealed", TimeView.fields) { $0.seal.map { TimeView($0.at) } }
        $0.text("logURL") { ConsoleRoutes.audit.link($0.row.team) }
    }

    let frame: ConsoleFrame
    let row: AuditRow
    let seal: (position: Int, at: Timestamp)?

    private var entry: AuditEntry { row.entry }
}
