public import Core
public import Postgres

/// An event of the audit log: an action that succeeded or was refused.
public struct AuditEvent: Sendable {
    public enum Outcome: String, SQLText, Sendable {
        case succeeded
        case refused
    }

    /// The object of the action, such as an App ID by its identifier.
    public struct Target: Hashable, Sendable {
        public let kind: String
        public let name: String

        public init(_ kind: String, _ name: String) {
            self.kind = kind
            self.name = name
        }
    }

    public let actor: Actor
    /// The resource and a verb in the past tense, such as `app_id.created`.
    public let action: String
    public let target: Target
    public let outcome: Outcome
    public let origin: Origin
    /// The changed members before and after the action.
    ///
    /// They never contain secrets.
    public let before: JSONValue?
    public let after: JSONValue?

    public init(
        _ action: String, by actor: Actor, on target: Target, from origin: Origin, before: JSONValue? = nil,
        after: JSONValue? = nil, outcome: Outcome = .succeeded
    ) {
        self.actor = actor
        self.action = action
        self.target = target
        self.outcome = outcome
        self.origin = origin
        self.before = before
        self.after = after
    }
}
