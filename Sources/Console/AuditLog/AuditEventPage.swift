import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// One event, with everything that was kept of it and the ways to what belongs to it.
struct AuditEventPage: ConsolePage {
    static let template = "console/audit/show"
    static let fields =
        frameFields
        .group("event", AuditRow.fields) { $0.row }
        .text("name") { $0.entry.action }
        .text("exact") { $0.entry.at.precise }
        .words("actorKind") { AuditWords.kind($0.entry.actorKind) }
        .text("actorID") { $0.entry.actor }
        .optionalText("actorEmail") { $0.entry.actorPerson?.email }
        .words("targetKind") { AuditWords.kind($0.entry.targetKind) }
        .text("targetID") { $0.entry.target }
        .optionalText("targetEmail") { $0.entry.targetPerson?.email }
        .words("outcome") { Phrase(in: "console.audit.outcome", $0.entry.outcome.rawValue) }
        .optionalText("ipURL") { page in page.entry.ip.map { page.row.log([("ip", $0)]) } }
        .optionalText("requestURL") { page in page.entry.requestID.map { page.row.log([("q", $0)]) } }
        .optionalGroup("request", CopyView.fields) { page in
            page.entry.requestID.map { CopyView(Phrase("console.audit.reference"), $0) }
        }
        .group("id", CopyView.fields) { CopyView(Phrase("console.audit.id"), $0.entry.id) }
        .optionalWords("seal") { page in
            page.seal.map { Phrase("console.audit.sealed-as", count: $0.position) }
        }
        .optionalGroup("sealed", TimeView.fields) { $0.seal.map { TimeView($0.at) } }
        .text("logURL") { ConsoleRoutes.audit.link($0.row.team) }

    let frame: ConsoleFrame
    let row: AuditRow
    let seal: (position: Int, at: Timestamp)?

    private var entry: AuditEntry { row.entry }
}
