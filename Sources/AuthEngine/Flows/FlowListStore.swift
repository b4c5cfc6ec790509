public import Bytes
public import Domain
public import Postgres

/// Pages through the flows of a team.
public struct FlowListStore: Sendable {
    /// Flows are counted up to here; beyond, a list says "more than".
    public static let countLimit = 1000

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Up to `limit` flows, newest first, those after `cursor` when there is one.
    public func page(
        in team: TeamID,
        matching filter: FlowFilter = FlowFilter(),
        after cursor: FlowID? = nil,
        limit: Int,
        at now: Timestamp
    ) async throws(PostgresFailure) -> FlowPage {
        let rows = try await database.search(
            Self.selection(in: team, filter, after: cursor, limit: limit + 1, at: now),
            in: team
        )
        var flows: [Flow] = []
        var total = 0
        for var row in rows {
            total = try row.next()
            flows.append(try Flow(&row))
        }
        let next = flows.count > limit ? flows[limit - 1].id : nil
        return FlowPage(flows: Array(flows.prefix(limit)), next: next, total: total)
    }

    /// The flow of that id, or with the newest failure under that reference.
    public func find(_ text: String, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> FlowID?
    {
        let rows = try await database.query(
            """
            (SELECT flow_id FROM flows WHERE team_id = \(team) AND flow_id = \(text))
            UNION ALL
            (
                SELECT flow_id FROM flows WHERE team_id = \(team) AND reference = \(text)
                ORDER BY flow_id DESC LIMIT 1
            )
            LIMIT 1
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        let id = try row.next(FlowID.self)
        return id.startedAt > now - Flow.retention ? id : nil
    }

    /// What `Flow` reads, of a table that goes by `f`.
    ///
    /// Of the redemption with a LIMIT: PostgreSQL takes EXISTS for a question about every flow, and reads all steps.
    static func columns(in team: TeamID) -> SQL {
        """
        f.flow_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_trial, coalesce((
            SELECT true FROM flow_steps s
            WHERE s.team_id = \(team) AND s.flow_id = f.flow_id AND s.kind = 'code_redeemed'
            LIMIT 1
        ), false)
        """
    }

    /// One statement for the page and the count.
    static func selection(
        in team: TeamID,
        _ filter: FlowFilter,
        after cursor: FlowID?,
        limit: Int,
        at now: Timestamp
    ) -> SQL {
        let condition = condition(in: team, filter, at: now)
        let following: SQL = if let cursor { "AND f.flow_id < \(cursor)" } else { "" }
        return """
            SELECT (
                SELECT count(*) FROM (
                    SELECT FROM flows f WHERE \(condition) ORDER BY f.flow_id DESC LIMIT \(countLimit + 1)
                ) AS counted
            ), \(columns(in: team))
            FROM flows f
            WHERE \(condition) \(following)
            ORDER BY f.flow_id DESC
            LIMIT \(limit)
            """
    }

    /// A range of time is a range of ids.
    private static func condition(in team: TeamID, _ filter: FlowFilter, at now: Timestamp) -> SQL {
        let start = FlowID.prefix(max(filter.from ?? now - Flow.retention, now - Flow.retention))
        var condition: SQL = "f.team_id = \(team) AND f.flow_id >= \(start)"
        if let until = filter.until { condition = "\(condition) AND f.flow_id < \(FlowID.prefix(until))" }
        if let client = filter.client { condition = "\(condition) AND f.client_id = \(client)" }
        if let outcome = filter.outcome { condition = "\(condition) AND f.outcome = \(outcome.rawValue)" }
        if let cause = filter.cause { condition = "\(condition) AND f.cause = \(cause)" }
        if let subject = filter.subject { condition = "\(condition) AND f.sub = \(subject)" }
        if filter.leavesOutTrials { condition = "\(condition) AND NOT f.is_trial" }
        return condition
    }
}
