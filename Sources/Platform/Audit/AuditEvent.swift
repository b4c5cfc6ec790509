public import Core
import HTTP
public import Postgres

/// An event of the audit log: an action that succeeded or was refused.
public struct AuditEvent: Sendable {
    public enum Outcome: String, SQLText, CaseIterable, Sendable {
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

        public static func client(_ id: ClientID) -> Target { Target("client", id.rawValue) }
    }

    /// The action of a completed sign-in: its actor is the user, its target the app, or the user where there is none.
    public static let signInCompleted = "sign_in.completed"

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

extension JSONValue {
    /// Members of an event, with the reason that a person gave for the action.
    public static func members(_ members: [String: JSONValue] = [:], because reason: String?) -> JSONValue {
        .object(reason.map { members.merging(["reason": .string($0)]) { $1 } } ?? members)
    }
}

// Writing events.
extension AuditEvent {
    /// The statement that inserts the event.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), audit AS (\(event.insertion(in: team))) SELECT …`.
    /// - Parameter condition: a FROM or WHERE clause; one event is inserted for each row it returns.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        insertion(
            in: team, actor: "\(actor.name)", target: "\(target.name)", words: "\(EventSearchTerms.of(self))",
            when: condition)
    }

    /// The statement that inserts an event whose actor and target are one user, known only as a column of a query.
    ///
    /// - Parameters:
    ///   - subject: a column of the rows that `condition` returns; replaces the names of the event's actor and target.
    ///   - condition: a FROM clause; one event is inserted for each row it returns.
    public func insertion(in team: TeamID, naming subject: SQL, when condition: SQL) -> SQL {
        insertion(
            in: team, actor: subject, target: subject,
            words: "array_append(\(EventSearchTerms.of(self, isNamed: false))::text[], lower(\(subject)))",
            when: condition)
    }

    /// The statement that inserts the event once for each of these users, in place of its target.
    public func insertion(in team: TeamID, onEach users: [String]) -> SQL {
        let terms = EventSearchTerms.of(self).filter { $0 != target.name.lowercased() }
        return insertion(
            in: team, actor: "\(actor.name)", target: "name", words: "array_append(\(terms)::text[], lower(name))",
            when: "FROM unnest(\(users)) AS name")
    }

    private func insertion(in team: TeamID, actor name: SQL, target: SQL, words: SQL, when condition: SQL) -> SQL {
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
            request_id, before, after, ip_key, words
        )
        SELECT
            \(team), clock_timestamp(), \(actor.kind), \(name), \(action), \(self.target.kind),
            \(target), \(outcome), NULLIF(\(origin.ip), ''), NULLIF(\(origin.userAgent), ''),
            NULLIF(\(origin.requestID), ''), \(Self.text(before))::jsonb, \(Self.text(after))::jsonb,
            \(IPAddress(origin.ip)?.bytes), \(words)
        \(condition)
        """
    }

    private static func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: JSON.encode($0), as: UTF8.self) }
    }
}

/// Writes events of actions that change nothing, such as viewing a record.
public struct AuditEventLogStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Writes the event; it is committed when this returns.
    public func record(_ event: AuditEvent, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(event.insertion(in: team), in: team)
    }
}
