import Audit
import Bytes
import Domain
import Postgres

/// What the audit log says of a thing: its members by name.
typealias AuditedMembers = [String: JSONValue]

/// What was done to one thing of the registry.
struct AuditedChange {
    let action: String
    let target: AuditEvent.Target
    let before: AuditedMembers
    let after: AuditedMembers

    init(
        _ action: String,
        _ kind: String,
        _ name: String,
        from before: AuditedMembers = [:],
        to after: AuditedMembers = [:]
    ) {
        self.action = action
        target = AuditEvent.Target(kind, name)
        self.before = before
        self.after = after
    }

    /// Writes the event with the members that changed only, as they were and as they are.
    func record(
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let old = before.filter { after[$0.key] != $0.value }
        let new = after.filter { before[$0.key] != $0.value }
        let event = AuditEvent(
            action,
            by: actor,
            on: target,
            from: origin,
            before: before.isEmpty ? nil : .object(old),
            after: after.isEmpty ? nil : .object(new)
        )
        try await event.record(in: team, transaction)
    }

    /// A person's reason as a member: no control characters, which JSON of PostgreSQL cannot hold, and no novel.
    static func reason(_ text: String) -> AuditedMembers {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(500)
        return ["reason": .string(String(String.UnicodeScalarView(scalars)))]
    }
}
