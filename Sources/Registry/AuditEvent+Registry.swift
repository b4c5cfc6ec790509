import Core
import Platform

/// Members of an object in an audit event, by name.
typealias AuditedMembers = [String: JSONValue]

extension AuditedMembers {
    /// The user's reason as a member: at most 500 characters, without control characters, which PostgreSQL rejects.
    static func reason(_ text: String) -> AuditedMembers {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(500)
        return ["reason": .string(String(String.UnicodeScalarView(scalars)))]
    }
}

// The objects of the registry as targets of audit events.
extension AuditEvent.Target {
    static func appID(_ id: ClientID) -> AuditEvent.Target { AuditEvent.Target("app_id", id.rawValue) }
    static func serviceID(_ id: ClientID) -> AuditEvent.Target { AuditEvent.Target("service_id", id.rawValue) }
    static func key(_ id: KeyID) -> AuditEvent.Target { AuditEvent.Target("key", id.rawValue) }
    static func appleKey(_ id: KeyID) -> AuditEvent.Target { AuditEvent.Target("apple_key", id.rawValue) }
    static func appleConnection(_ id: ClientID) -> AuditEvent.Target {
        AuditEvent.Target("apple_connection", id.rawValue)
    }
    static func emailSource(_ source: EmailSource) -> AuditEvent.Target {
        AuditEvent.Target("email_source", source.text)
    }
    static func member(_ account: Subject) -> AuditEvent.Target { AuditEvent.Target("member", account.rawValue) }
    static func team(_ id: TeamID) -> AuditEvent.Target { AuditEvent.Target("team", id.rawValue) }
}
