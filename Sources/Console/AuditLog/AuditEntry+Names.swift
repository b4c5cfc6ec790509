import Audit
import Bytes
import Directory
import Domain
import Federation
import Localization

// Names of an event's actor and target on pages: the name if there is one, else the id.
extension AuditEntry {
    /// Name of the actor.
    var shownActor: any LocalizedTextConvertible {
        switch actorKind {
        case "command": Message("console.audit.by-command", ["name": actor])
        case "system" where actor == UpstreamRevocation.kind: Message("console.audit.by-revocation")
        case "system" where actor == ProviderID.apple.rawValue: appleActor
        case "system": Message("console.audit.by-system", ["name": actor])
        default: Self.name(of: actor, actorKind, actorPerson)
        }
    }

    /// Apple as an actor: validating a token at Apple can reveal an ended authorization without a notification.
    private var appleActor: Message {
        action == "provider_authorization.ended"
            ? Message("console.audit.by-apple") : Message("console.audit.by-apple-notification")
    }

    /// Name of the target; nil if it adds nothing to the name of the action, as for an invitation.
    var shownTarget: (any LocalizedTextConvertible)? {
        if ["invitation", "user_invitation"].contains(targetKind) { return nil }
        if action == "user.deleted", targetPerson?.shownName == nil { return nil }
        return Self.name(of: target, targetKind, targetPerson)
    }

    /// Id of the target; nil if the id is already shown as its name.
    var targetID: String? { shownTarget is String ? nil : target }

    /// Whether the actor is the target.
    var isOwn: Bool { target == actor || targetPerson?.shownName ?? target == actorPerson?.shownName }

    /// Name of an actor or target; a deleted user has no name, because it is erased.
    private static func name(of id: String, _ kind: String, _ person: Person?) -> any LocalizedTextConvertible {
        if let name = person?.shownName { return name }
        return switch kind {
        case "user", "person",
            "member" where person == nil:
            Message("console.audit.deleted-person")
        default: id
        }
    }
}
