public import Core
public import Postgres
import Synchronization

/// A change of one team's data: who makes it, from where, and the transaction that holds it.
///
/// It cannot outlive the closure that borrows it (`TeamDatabase.change`).
public struct Change: ~Copyable {
    public let team: TeamID
    public let actor: Actor
    public let origin: Origin
    /// The transaction, for functions that read and lock.
    public let transaction: Transaction
    private let recorded: RecordedEvents

    init(
        in team: TeamID, by actor: Actor, from origin: Origin, _ transaction: consuming Transaction,
        _ recorded: RecordedEvents = RecordedEvents()
    ) {
        self.team = team
        self.actor = actor
        self.origin = origin
        self.transaction = transaction
        self.recorded = recorded
    }

    /// The events recorded since the last call; those that are spliced into a statement are not among them.
    public func takeEvents() -> [AuditEvent] {
        recorded.events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Runs one statement; after a failure every further one fails too, until the transaction ends.
    @discardableResult public func query(_ sql: SQL) async throws(PostgresFailure) -> Rows {
        try await transaction.query(sql)
    }

    /// Locks the team until the transaction ends, so that each of several concurrent additions counts those before it.
    ///
    /// It is the first lock of its transaction, so that no two of them deadlock.
    public func lockTeam() async throws(PostgresFailure) {
        try await query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }

    /// Runs `body` as a change by another actor, or of another team, within the same transaction.
    ///
    /// The transaction is under the setting of that team meanwhile; after an error it must be rolled back.
    public func acting<Value>(
        in other: TeamID? = nil, by actor: Actor, _ body: (borrowing Change) async throws -> Value
    ) async throws -> Value {
        let other = other ?? team
        if other != team { try await enter(other) }
        let value = try await transaction.lend { transaction in
            try await body(Change(in: other, by: actor, from: origin, transaction, recorded))
        }
        if other != team { try await enter(team) }
        return value
    }

    /// Runs `body` in a savepoint: when it throws, nothing of it stays, and the change goes on.
    public func attempt(_ body: (borrowing Change) async throws -> Void) async throws {
        let count = recorded.events.withLock(\.count)
        try await query("SAVEPOINT attempt")
        do { try await body(self) } catch {
            try await query("ROLLBACK TO SAVEPOINT attempt")
            recorded.events.withLock { $0.removeLast($0.count - count) }
            throw error
        }
        try await query("RELEASE SAVEPOINT attempt")
    }

    private func enter(_ team: TeamID) async throws(PostgresFailure) {
        try await query("SELECT set_config('pippin.team', \(team), true)")
    }

    /// An event of this change, to splice it into the statement that makes the change, or to record it with `record`.
    public func event(_ action: String, on target: AuditEvent.Target, before: JSONValue? = nil, after: JSONValue? = nil)
        -> AuditEvent
    { AuditEvent(action, by: actor, on: target, from: origin, before: before, after: after) }

    /// An event with the members that differ, their old and new values.
    public func event(
        _ action: String, on target: AuditEvent.Target, from old: [String: JSONValue], to new: [String: JSONValue]
    ) -> AuditEvent {
        let before = old.filter { new[$0.key] != $0.value }
        let after = new.filter { old[$0.key] != $0.value }
        return event(
            action, on: target, before: old.isEmpty ? nil : .object(before), after: new.isEmpty ? nil : .object(after))
    }

    /// Records an event as it is.
    public func record(_ event: AuditEvent) async throws(PostgresFailure) {
        try await query(event.insertion(in: team))
        recorded.events.withLock { $0.append(event) }
    }

    /// Records one event for each of several users, by one statement.
    public func record(_ action: String, onEach users: [AuditEvent.Target], to new: [String: JSONValue])
        async throws(PostgresFailure)
    {
        guard !users.isEmpty else { return }
        let all = users.map { event(action, on: $0, after: .object(new)) }
        try await query(all[0].insertion(in: team, onEach: users.map(\.name)))
        recorded.events.withLock { $0 += all }
    }

    /// Records an event with the members that differ, their old and new values.
    public func record(
        _ action: String, _ target: AuditEvent.Target, from old: [String: JSONValue] = [:],
        to new: [String: JSONValue] = [:]
    ) async throws(PostgresFailure) { try await record(event(action, on: target, from: old, to: new)) }
}

/// The events of one transaction, shared by the changes that are parts of it.
final class RecordedEvents: Sendable { let events = Mutex<[AuditEvent]>([]) }
