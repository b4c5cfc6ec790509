import Core
public import OAuth
public import Platform
import Postgres

/// Reads one sign-in trace with its events.
public struct TraceDetailStore: Sendable {
    /// Most events of a trace; no regular sign-in has more.
    public static let stepLimit = 200
    /// Most octets of a trace's events that are returned, in total.
    static let octetLimit = 128 << 10

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// The trace and its events in order, or nil when the team has no trace of that id.
    ///
    /// - Throws: `PostgresFailure`, `JSON.Failure` for an event that Pippin did not write.
    public func find(_ id: TraceID, in team: TeamID) async throws -> (trace: SignInTrace, steps: [TraceEvent])? {
        let rows = try await database.query(
            """
            SELECT \(TraceListStore.columns(in: team)), f.opening, ARRAY (
                SELECT step FROM (
                    SELECT s.step, s.at, s.kind,
                        sum(octet_length(s.step)) OVER (ORDER BY s.at, s.kind ROWS UNBOUNDED PRECEDING) AS octets
                    FROM flow_steps s
                    WHERE s.team_id = \(team) AND s.flow_id = \(id)
                    ORDER BY s.at, s.kind LIMIT \(Self.stepLimit)
                ) AS told
                WHERE octets <= \(Self.octetLimit) ORDER BY at, kind
            )
            FROM flows f
            WHERE f.team_id = \(team) AND f.flow_id = \(id)
            """, in: team)
        guard var row = rows.first else { return nil }
        let trace = try SignInTrace(&row)
        let texts = [try row.next(String.self)] + (try row.next([String].self))
        return (trace, try texts.compactMap(TraceEvent.init(stored:)))
    }
}
