import Audit
import Bytes

// What pages call those whom an event names: by name where there is one, else by the id.
extension AuditEntry {
    /// Who did it.
    var shownActor: any Wording {
        switch actorKind {
        case "command": Phrase("console.audit.by-command", ["name": actor])
        case "system": Phrase("console.audit.by-system", ["name": actor])
        default: actorPerson?.shownName ?? actor
        }
    }

    /// What it was done to.
    var shownTarget: String { targetPerson?.shownName ?? target }

    /// Whether people did it to themselves.
    var isOwn: Bool { shownTarget == actorPerson?.shownName || target == actor }
}
