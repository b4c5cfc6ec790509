import Bytes
import Domain
import Postgres

/// Writes flows.
struct FlowStore: Sendable {
    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Adds flows and steps in one statement; a flow that is there already goes on.
    ///
    /// A crash of the server in the next moments may undo it.
    func write(_ flows: [PendingFlow], in team: TeamID) async throws(PostgresFailure) {
        let rows = flows.filter { $0.opening != nil }
        try await database.queryRelaxed(
            """
            WITH kept AS (
                INSERT INTO flows AS known (
                    team_id, flow_id, client_id, sub, outcome, cause, reference, is_trial, opening
                )
                SELECT \(team), id, NULLIF(client, ''), NULLIF(person, ''), outcome, NULLIF(cause, ''),
                    NULLIF(reference, ''), trial = 'true', opening
                FROM unnest(
                    \(rows.map(\.id.rawValue)), \(rows.map { $0.clientID?.rawValue ?? "" }),
                    \(rows.map { $0.subject?.rawValue ?? "" }), \(rows.map(\.outcome.rawValue)),
                    \(rows.map { $0.cause?.rawValue ?? "" }), \(rows.map { $0.reference ?? "" }),
                    \(rows.map { "\($0.isTrial)" }), \(rows.map { $0.opening?.stored ?? "" })
                ) AS given (id, client, person, outcome, cause, reference, trial, opening)
                ON CONFLICT (team_id, flow_id) DO UPDATE SET
                    sub = coalesce(excluded.sub, known.sub),
                    outcome = CASE excluded.outcome WHEN 'open' THEN known.outcome ELSE excluded.outcome END,
                    cause = CASE excluded.outcome WHEN 'open' THEN known.cause ELSE excluded.cause END,
                    reference = coalesce(excluded.reference, known.reference)
            )
            \(Self.insertion(of: flows, in: team))
            """,
            in: team
        )
    }

    /// A flow that has its steps gets no more: whoever goes back and forth in one sign-in fills no disk with it.
    private static func insertion(of flows: [PendingFlow], in team: TeamID) -> SQL {
        let steps = flows.flatMap { flow in flow.steps.map { (id: flow.id.rawValue, step: $0) } }
        return """
            INSERT INTO flow_steps (team_id, flow_id, at, kind, step)
            SELECT \(team), id, at::timestamptz, kind, step
            FROM unnest(
                \(steps.map(\.id)), \(steps.map(\.step.at.precise)), \(steps.map(\.step.kind.rawValue)),
                \(steps.map(\.step.stored))
            ) AS given (id, at, kind, step)
            WHERE (
                SELECT count(*) FROM (
                    SELECT FROM flow_steps AS kept
                    WHERE kept.team_id = \(team) AND kept.flow_id = given.id LIMIT \(FlowDetailStore.stepLimit)
                ) AS steps
            ) < \(FlowDetailStore.stepLimit)
            ON CONFLICT DO NOTHING
            """
    }

    /// The same flows, those that came with a code under the sign-in the code was issued in, when it is known.
    func resolved(_ flows: [PendingFlow], in team: TeamID) async throws(PostgresFailure) -> [PendingFlow] {
        var resolved: [FlowID: PendingFlow] = [:]
        // What came with a code comes after the sign-in that ended in it, also where both are written at once.
        for flow in flows.filter({ $0.code == nil }) + flows.filter({ $0.code != nil }) {
            guard let code = flow.code, let step = flow.opening,
                let id = try await self.flow(of: code, in: team)
            else {
                if resolved[flow.id]?.add(flow) == nil { resolved[flow.id] = flow }
                continue
            }
            var part = PendingFlow(id)
            part.opening = step
            (part.clientID, part.outcome, part.cause) = (flow.clientID, flow.outcome, flow.cause)
            part.reference = flow.reference
            part.steps = [step] + flow.steps
            if resolved[id]?.add(part) == nil { resolved[id] = part }
        }
        return resolved.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private func flow(
        of code: AuthorizationCode,
        in team: TeamID
    ) async throws(PostgresFailure) -> FlowID? {
        let rows = try await database.query(
            """
            SELECT flow_id FROM authorization_codes
            WHERE team_id = \(team) AND \(code.slot.condition) AND code_hash = \(code.hash)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next(FlowID?.self)
    }
}
