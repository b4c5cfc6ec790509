import Core
public import Postgres

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
            \(AddressRange(origin.ip)?.first), \(words)
        \(condition)
        """
    }

    /// Writes the event in the caller's transaction.
    public func record(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(insertion(in: team))
    }

    private static func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: JSON.encode($0), as: UTF8.self) }
    }
}
