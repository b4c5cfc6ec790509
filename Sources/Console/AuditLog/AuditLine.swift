import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// An event in short, as overviews and histories list it.
struct AuditLine: Sendable {
    private let entry: AuditEntry
    private let team: TeamID

    init(_ entry: AuditEntry, in team: TeamID) {
        self.entry = entry
        self.team = team
    }

    /// The page of the log that begins with the event, and the event on it.
    private var url: String {
        let cursor = PageTrail.Cursor(at: entry.at + .microseconds(1), id: "")
        return "\(ConsoleRoutes.audit.link(team))?after=\(cursor.text)#\(AuditRow.id(of: entry))"
    }

    /// What it concerns; nothing where people did it to themselves, for the name stands there already.
    private var target: String? {
        entry.shownTarget == entry.shownActor ? nil : entry.shownTarget
    }

    static let fields = Fields<AuditLine>()
        .group("time", TimeView.fields) { TimeView($0.entry.at) }
        .text("actor") { $0.entry.shownActor }
        .words("action") { AuditWords.action($0.entry.action) }
        .optionalText("target") { $0.target }
        .text("url") { $0.url }
}
