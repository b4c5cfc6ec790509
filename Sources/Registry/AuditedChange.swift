import Core
import Platform
import Postgres

/// Members of an object in an audit event, by name.
typealias AuditedMembers = [String: JSONValue]

/// A change of one registry object, to be recorded in the audit log.
struct AuditedChange {
    let action: String
    let target: AuditEvent.Target
    let before: AuditedMembers
    let after: AuditedMembers

    init(
        _ action: String, _ kind: String, _ name: String, from before: AuditedMembers = [:],
        to after: AuditedMembers = [:]
    ) {
        self.action = action
        target = AuditEvent.Target(kind, name)
        self.before = before
        self.after = after
    }

    /// Records the event with the changed members only, their old and new values.
    func record(in team: TeamID, by actor: Actor, from origin: Origin, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        let old = before.filter { after[$0.key] != $0.value }
        let new = after.filter { before[$0.key] != $0.value }
        let event = AuditEvent(
            action, by: actor, on: target, from: origin, before: before.isEmpty ? nil : .object(old),
            after: after.isEmpty ? nil : .object(new))
        try await event.record(in: team, transaction)
    }

    /// The user's reason as a member: at most 500 characters, without control characters, which PostgreSQL rejects.
    static func reason(_ text: String) -> AuditedMembers {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(500)
        return ["reason": .string(String(String.UnicodeScalarView(scalars)))]
    }
}
