public import Bytes
public import Domain
public import Postgres

/// One thing that was done, or refused.
public struct AuditEvent: Sendable {
    public enum Outcome: String, SQLText, Sendable {
        case succeeded
        case refused
    }

    /// What it was done to, such as an App ID by its identifier.
    public struct Target: Hashable, Sendable {
        public let kind: String
        public let name: String

        public init(_ kind: String, _ name: String) {
            self.kind = kind
            self.name = name
        }
    }

    public let actor: Actor
    /// The resource and what happened to it in the past tense, such as `app_id.created`.
    public let action: String
    public let target: Target
    public let outcome: Outcome
    public let origin: Origin
    /// The changed members as they were and are.
    ///
    /// Secrets never.
    public let before: JSONValue?
    public let after: JSONValue?

    public init(
        _ action: String,
        by actor: Actor,
        on target: Target,
        from origin: Origin,
        before: JSONValue? = nil,
        after: JSONValue? = nil,
        outcome: Outcome = .succeeded
    ) {
        self.actor = actor
        self.action = action
        self.target = target
        self.outcome = outcome
        self.origin = origin
        self.before = before
        self.after = after
    }

    /// The statement that writes the event.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), audit AS (\(event.insertion(in: team))) SELECT …`.
    /// - Parameter condition: a FROM or WHERE clause; the event is written once per row it yields.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
            request_id, before, after
        )
        SELECT
            \(team), clock_timestamp(), \(actor.kind), \(actor.name), \(action), \(target.kind),
            \(target.name), \(outcome), NULLIF(\(origin.ip), ''), NULLIF(\(origin.userAgent), ''),
            NULLIF(\(origin.requestID), ''), \(Self.text(before))::jsonb, \(Self.text(after))::jsonb
        \(condition)
        """
    }

    /// Writes the event in the caller's transaction.
    public func record(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(insertion(in: team))
    }

    private static func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: JSON.encode($0), as: UTF8.self) }
    }
}
