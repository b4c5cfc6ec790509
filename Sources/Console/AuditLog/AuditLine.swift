import Audit
import Bytes
import Domain
import HTTP
import Localization
import Templates
import Web

/// Summary of an event in overviews and histories.
struct AuditLine: Sendable {
    private let entry: AuditEntry
    private let team: TeamID

    init(_ entry: AuditEntry, in team: TeamID) {
        self.entry = entry
        self.team = team
    }

    /// Name of the target; nil if the actor is the target, because the line already shows that name.
    private var target: (any LocalizedTextConvertible)? { entry.isOwn ? nil : entry.shownTarget }

    static let fields = Fields<AuditLine> {
        $0.group("time", TimeView.fields) { TimeView($0.entry.at) }
        $0.words("actor") { $0.entry.shownActor }
        $0.words("action") { AuditMessages.action($0.entry.action) }
        $0.optionalWords("target") { $0.target }
        $0.text("url") { ConsoleRoutes.auditEvent.link($0.team, AuditReference($0.entry.place)) }
    }
}
