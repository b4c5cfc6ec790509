import Bytes
public import Domain
public import Postgres

// Writing events.
extension AuditEvent {
    /// The statement that writes the event.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), audit AS (\(event.insertion(in: team))) SELECT …`.
    /// - Parameter condition: a FROM or WHERE clause; the event is written once per row it yields.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
            request_id, before, after, ip_key, words
        )
        SELECT
            \(team), clock_timestamp(), \(actor.kind), \(actor.name), \(action), \(target.kind),
            \(target.name), \(outcome), NULLIF(\(origin.ip), ''), NULLIF(\(origin.userAgent), ''),
            NULLIF(\(origin.requestID), ''), \(Self.text(before))::jsonb, \(Self.text(after))::jsonb,
            \(AddressRange(origin.ip)?.first), \(EventWords.of(self))
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
