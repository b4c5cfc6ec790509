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

    /// What it concerns; nothing where people did it to themselves, for the name stands there already.
    private var target: (any Wording)? {
        entry.isOwn ? nil : entry.shownTarget
    }

    static let fields = Fields<AuditLine>()
        .group("time", TimeView.fields) { TimeView($0.entry.at) }
        .words("actor") { $0.entry.shownActor }
        .words("action") { AuditWords.action($0.entry.action) }
        .optionalWords("target") { $0.target }
        .text("url") { ConsoleRoutes.auditEvent.link($0.team, AuditReference($0.entry.place)) }
}
