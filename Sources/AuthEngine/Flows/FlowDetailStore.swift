import Bytes
public import Domain
import Postgres

/// Reads one flow with its steps.
public struct FlowDetailStore: Sendable {
    /// Of steps; a flow with more has been played with.
    public static let stepLimit = 200
    /// Of the steps that are told of a flow, together.
    static let octetLimit = 128 << 10

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// The flow and its steps in their order, or nil when the team has none of that id.
    ///
    /// - Throws: `PostgresFailure`, `JSON.Failure` for a step nobody of ours wrote.
    public func find(_ id: FlowID, in team: TeamID) async throws -> (flow: Flow, steps: [FlowStep])? {
        let rows = try await database.query(
            """
            SELECT \(FlowListStore.columns(in: team)), f.opening, ARRAY (
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
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        let flow = try Flow(&row)
        let texts = [try row.next(String.self)] + (try row.next([String].self))
        return (flow, try texts.compactMap(FlowStep.init(stored:)))
    }
}
