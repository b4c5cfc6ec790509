import Core
import Crypto
import OAuth
import Platform
import Postgres

/// Writes sign-in traces.
struct TraceStore: Sendable {
    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Inserts or updates traces and inserts their events, in one statement.
    ///
    /// Loops write one after the other, so a refusal of a code may be stored before the response that contained it: that
    /// response then neither ends the failure nor leaves its place as the trace's first event to the refusal. The failures
    /// before a response, which it does end, are those of providers. A crash of the server within moments may undo it.
    func write(_ traces: [PendingTrace], in team: TeamID) async throws(PostgresFailure) {
        let rows = traces.filter { $0.opening != nil }
        try await database.query(
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
                    \(rows.map { "\($0.isTest)" }), \(rows.map { $0.opening?.stored ?? "" })
                ) AS given (id, client, person, outcome, cause, reference, trial, opening)
                ON CONFLICT (team_id, flow_id) DO UPDATE SET
                    sub = coalesce(excluded.sub, known.sub),
                    outcome = CASE WHEN \(Self.isEarlier) THEN known.outcome ELSE excluded.outcome END,
                    cause = CASE WHEN \(Self.isEarlier) THEN known.cause ELSE excluded.cause END,
                    reference = coalesce(excluded.reference, known.reference),
                    is_trial = known.is_trial OR excluded.is_trial,
                    opening = CASE
                        WHEN excluded.opening LIKE \(Self.request) AND known.opening NOT LIKE \(Self.request)
                        THEN excluded.opening ELSE known.opening
                    END
            )
            \(Self.insertion(of: traces, in: team))
            """, in: team, durability: .relaxed)
    }

    /// Whether the stored outcome stays.
    private static let isEarlier: SQL = """
        excluded.outcome = 'open'
        OR excluded.outcome = 'answered' AND known.outcome = 'failed' AND known.cause NOT LIKE 'provider%'
        """
    /// Pattern of a stored authorization request.
    private static let request = #"{"kind":"\#(TraceEvent.Kind.authorization.rawValue)",%"#

    /// Inserts events of traces below the limit, so that repeated requests within one sign-in cannot fill the disk.
    ///
    /// A redemption is not checked, because a code is redeemed only once and this is the most frequent event.
    private static func insertion(of traces: [PendingTrace], in team: TeamID) -> SQL {
        let steps = traces.flatMap { trace in trace.steps.map { (id: trace.id.rawValue, step: $0) } }
        return """
            INSERT INTO flow_steps (team_id, flow_id, at, kind, step)
            SELECT \(team), id, at::timestamptz, kind, step
            FROM unnest(
                \(steps.map(\.id)), \(steps.map(\.step.at.precise)), \(steps.map(\.step.kind.rawValue)),
                \(steps.map(\.step.stored))
            ) AS given (id, at, kind, step)
            WHERE CASE kind WHEN \(TraceEvent.Kind.codeRedeemed.rawValue) THEN true ELSE (
                SELECT count(*) FROM (
                    SELECT FROM flow_steps AS kept
                    WHERE kept.team_id = \(team) AND kept.flow_id = given.id LIMIT \(TraceDetailStore.stepLimit)
                ) AS steps
            ) < \(TraceDetailStore.stepLimit) END
            ON CONFLICT DO NOTHING
            """
    }

    /// The traces, with those of a known code merged into the trace of the sign-in that issued the code.
    func resolved(_ traces: [PendingTrace], in team: TeamID) async throws(PostgresFailure) -> [PendingTrace] {
        var resolved: [TraceID: PendingTrace] = [:]
        // Traces with a code come after those without, so that the sign-in is first when both are written at once.
        for trace in traces.filter({ $0.code == nil }) + traces.filter({ $0.code != nil }) {
            guard let code = trace.code, let step = trace.opening, let id = try await self.trace(of: code, in: team)
            else {
                if resolved[trace.id]?.add(trace) == nil { resolved[trace.id] = trace }
                continue
            }
            var part = PendingTrace(id)
            part.opening = step
            (part.clientID, part.outcome, part.cause) = (trace.clientID, trace.outcome, trace.cause)
            part.reference = trace.reference
            part.steps = [step] + trace.steps
            if resolved[id]?.add(part) == nil { resolved[id] = part }
        }
        return resolved.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private func trace(of code: AuthorizationCode, in team: TeamID) async throws(PostgresFailure) -> TraceID? {
        let rows = try await database.query(
            """
            SELECT flow_id FROM authorization_codes
            WHERE team_id = \(team) AND \(code.slot.condition) AND code_hash = \(code.hash)
            """, in: team)
        guard var row = rows.first else { return nil }
        return try row.next(TraceID?.self)
    }
}

/// The unwritten part of a sign-in trace.
struct PendingTrace {
    let id: TraceID
    /// The first event, with which the trace is created unless it exists; nil for a late event, whose trace is certain
    /// to exist.
    var opening: TraceEvent?
    var clientID: ClientID?
    var subject: Subject?
    var outcome = TraceOutcome.open
    var cause: RefusalCause?
    /// The reference by which the user or the app may ask for the trace.
    var reference: String?
    var isTest = false
    var steps: [TraceEvent] = []
    /// The code of the request, by which the earlier trace of its sign-in may be found.
    var code: AuthorizationCode?

    init(_ id: TraceID) { self.id = id }

    /// Merges a later event of the same trace.
    mutating func add(_ later: PendingTrace) {
        opening = opening ?? later.opening
        clientID = clientID ?? later.clientID
        subject = later.subject ?? subject
        if later.outcome != .open { (outcome, cause) = (later.outcome, later.cause) }
        reference = later.reference ?? reference
        steps += later.steps.prefix(max(0, TraceDetailStore.stepLimit - steps.count))
    }
}

/// The unwritten events, by team and trace; bounded.
struct TraceBuffer {
    /// Most buffered events; further ones are dropped.
    static let capacity = 8192

    private var teams: [TeamID: [TraceID: PendingTrace]] = [:]
    private(set) var count = 0
    /// Number of dropped events.
    private(set) var dropped = 0

    mutating func add(_ trace: PendingTrace, of team: TeamID) {
        guard count < Self.capacity else {
            dropped += 1
            return
        }
        count += 1
        if teams[team]?[trace.id]?.add(trace) == nil { teams[team, default: [:]][trace.id] = trace }
    }

    /// Removes everything, each team's traces in the order of their ids, so that two loops that write the same traces
    /// lock them in the same order.
    mutating func drain() -> [(team: TeamID, traces: [PendingTrace])] {
        defer { (teams, count) = ([:], 0) }
        return teams.map { team, traces in (team, traces.values.sorted { $0.id.rawValue < $1.id.rawValue }) }
    }

    mutating func noteDropped(_ steps: Int) { dropped += steps }
}
