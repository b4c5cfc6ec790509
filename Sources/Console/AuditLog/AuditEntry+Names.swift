import Audit
import AuthEngine
import Bytes
import Directory

// What pages call those whom an event names: by name where there is one, else by the id.
extension AuditEntry {
    /// Who did it.
    var shownActor: any Wording {
        switch actorKind {
        case "command": Phrase("console.audit.by-command", ["name": actor])
        case "system" where actor == ProviderRevocation.kind: Phrase("console.audit.by-revocation")
        case "system" where actor == ProviderID.apple.rawValue: appleActor
        case "system": Phrase("console.audit.by-system", ["name": actor])
        default: Self.name(of: actor, actorKind, actorPerson)
        }
    }

    /// An authorization may have ended without a notice, found out by a question to Apple.
    private var appleActor: Phrase {
        action == "provider_authorization.ended"
            ? Phrase("console.audit.by-apple") : Phrase("console.audit.by-apple-notice")
    }

    /// What it was done to; nil where the action says it already, as of an invitation that was sent.
    var shownTarget: (any Wording)? {
        if ["invitation", "user_invitation"].contains(targetKind) { return nil }
        if action == "user.deleted", targetPerson?.shownName == nil { return nil }
        return Self.name(of: target, targetKind, targetPerson)
    }

    /// The id of what has no name of its own.
    var targetID: String? { shownTarget is String ? nil : target }

    /// Whether people did it to themselves.
    var isOwn: Bool { target == actor || targetPerson?.shownName ?? target == actorPerson?.shownName }

    /// Names of deleted people are erased.
    private static func name(of id: String, _ kind: String, _ person: Person?) -> any Wording {
        if let name = person?.shownName { return name }
        return switch kind {
        case "user", "person",
            "member" where person == nil:
            Phrase("console.audit.deleted-person")
        default: id
        }
    }
}
