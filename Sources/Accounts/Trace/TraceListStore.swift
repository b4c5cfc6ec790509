public import Core
public import OAuth
public import Platform
public import Postgres

/// Lists the sign-in traces of a team, page by page.
public struct TraceListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Up to `limit` traces, newest first, after `cursor` when there is one.
    public func page(
        in team: TeamID, matching filter: TraceFilter = TraceFilter(), after cursor: ListCursor? = nil, limit: Int,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Page<SignInTrace> {
        let rows = try await database.search(
            Self.selection(in: team, filter, after: cursor, limit: limit + 1, at: now), in: team)
        var traces: [SignInTrace] = []
        var total = 0
        for var row in rows {
            total = try row.next()
            traces.append(try SignInTrace(&row))
        }
        return Page(traces, limit: limit, total: total) { ListCursor($0.id.startedAt, $0.id.rawValue) }
    }

    /// Finds the trace with that id, or else the newest failure with that reference.
    public func find(_ text: String, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> TraceID? {
        let rows = try await database.query(
            """
            (SELECT trace_id FROM traces WHERE team_id = \(team) AND trace_id = \(text))
            UNION ALL
            (
                SELECT trace_id FROM traces WHERE team_id = \(team) AND reference = \(text)
                ORDER BY trace_id DESC LIMIT 1
            )
            LIMIT 1
            """, in: team)
        guard let id: TraceID = try rows.firstValue() else { return nil }
        return id.startedAt > now - SignInTrace.retention ? id : nil
    }

    /// The columns that `SignInTrace` reads, of a table with the alias `f`.
    ///
    /// The redemption is read with a LIMIT, because for EXISTS PostgreSQL plans over all traces and reads all events.
    static func columns(in team: TeamID) -> SQL {
        """
        f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
            SELECT true FROM trace_events s
            WHERE s.team_id = \(team) AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
            LIMIT 1
        ), false)
        """
    }

    /// The totals of the lists with these filters, each up to `Page.countLimit + 1`, in one statement.
    public func totals(in team: TeamID, matching filters: [TraceFilter], at now: Timestamp)
        async throws(PostgresFailure) -> [Int]
    {
        let totals = filters.map { Self.total(matching: Self.condition(in: team, $0, at: now)) }
        let rows = try await database.search("SELECT \(totals.joined(separator: ", "))", in: team)
        guard var row = rows.first else { return [] }
        var counts: [Int] = []
        for _ in filters { counts.append(try row.next()) }
        return counts
    }

    private static func total(matching condition: SQL) -> SQL {
        """
        (
            SELECT count(*) FROM (
                SELECT FROM traces f WHERE \(condition) ORDER BY f.trace_id DESC LIMIT \(Page<SignInTrace>.countLimit + 1)
            ) AS counted
        )
        """
    }

    /// Selects the page and the total in one statement.
    static func selection(
        in team: TeamID, _ filter: TraceFilter, after cursor: ListCursor?, limit: Int, at now: Timestamp
    ) -> SQL {
        let condition = condition(in: team, filter, at: now)
        let following: SQL = if let cursor { "AND f.trace_id < \(cursor.id)" } else { "" }
        return """
            SELECT \(total(matching: condition)), \(columns(in: team))
            FROM traces f
            WHERE \(condition) \(following)
            ORDER BY f.trace_id DESC
            LIMIT \(limit)
            """
    }

    /// The condition of the filter; a time range is a range of ids.
    private static func condition(in team: TeamID, _ filter: TraceFilter, at now: Timestamp) -> SQL {
        let start = TraceID.prefix(max(filter.from ?? now - SignInTrace.retention, now - SignInTrace.retention))
        var condition: SQL = "f.team_id = \(team) AND f.trace_id >= \(start)"
        if let until = filter.until { condition = "\(condition) AND f.trace_id < \(TraceID.prefix(until))" }
        if let client = filter.client { condition = "\(condition) AND f.client_id = \(client)" }
        if let outcome = filter.outcome { condition = "\(condition) AND f.outcome = \(outcome.rawValue)" }
        if let cause = filter.cause { condition = "\(condition) AND f.cause = \(cause)" }
        if let subject = filter.subject { condition = "\(condition) AND f.sub = \(subject)" }
        if filter.leavesOutTests { condition = "\(condition) AND NOT f.is_test" }
        return condition
    }
}

/// Reads one sign-in trace with its events.
public struct TraceDetailStore: Sendable {
    /// Most events of a trace; no regular sign-in has more.
    public static let eventLimit = 200
    /// Most octets of a trace's events that are returned, in total.
    static let octetLimit = 128 << 10

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// The trace and its events in order, or nil when the team has no trace of that id.
    ///
    /// - Throws: `PostgresFailure`, `JSON.Failure` for an event that Pippin did not write.
    public func find(_ id: TraceID, in team: TeamID) async throws -> (trace: SignInTrace, events: [TraceEvent])? {
        let rows = try await database.query(
            """
            SELECT \(TraceListStore.columns(in: team)), f.opening, ARRAY (
                SELECT event FROM (
                    SELECT s.event, s.at, s.kind,
                        sum(octet_length(s.event)) OVER (ORDER BY s.at, s.kind ROWS UNBOUNDED PRECEDING) AS octets
                    FROM trace_events s
                    WHERE s.team_id = \(team) AND s.trace_id = \(id)
                    ORDER BY s.at, s.kind LIMIT \(Self.eventLimit)
                ) AS told
                WHERE octets <= \(Self.octetLimit) ORDER BY at, kind
            )
            FROM traces f
            WHERE f.team_id = \(team) AND f.trace_id = \(id)
            """, in: team)
        guard var row = rows.first else { return nil }
        let trace = try SignInTrace(&row)
        let texts = [try row.next(String.self)] + (try row.next([String].self))
        return (trace, try texts.compactMap(TraceEvent.init(stored:)))
    }
}
