import Audit

// What pages call those whom an event names: by name where there is one, else by the id.
extension AuditEntry {
    /// Who did it.
    var shownActor: String {
        switch actorKind {
        case "command": "Command line (\(actor))"
        case "system": "Pippin (\(actor))"
        default: actorPerson?.shownName ?? actor
        }
    }

    /// What it was done to.
    var shownTarget: String { targetPerson?.shownName ?? target }
}
