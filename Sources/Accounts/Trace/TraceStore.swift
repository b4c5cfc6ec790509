import Core
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
                INSERT INTO traces AS known (
                    team_id, trace_id, client_id, sub, outcome, cause, reference, is_test, opening
                )
                SELECT \(team), id, NULLIF(client, ''), NULLIF(person, ''), outcome, NULLIF(cause, ''),
                    NULLIF(reference, ''), is_test = 'true', opening
                FROM unnest(
                    \(rows.map(\.id.rawValue)), \(rows.map { $0.clientID?.rawValue ?? "" }),
                    \(rows.map { $0.subject?.rawValue ?? "" }), \(rows.map(\.outcome.rawValue)),
                    \(rows.map { $0.cause?.rawValue ?? "" }), \(rows.map { $0.reference ?? "" }),
                    \(rows.map { "\($0.isTest)" }), \(rows.map { $0.opening?.stored ?? "" })
                ) AS given (id, client, person, outcome, cause, reference, is_test, opening)
                ON CONFLICT (team_id, trace_id) DO UPDATE SET
                    sub = coalesce(excluded.sub, known.sub),
                    outcome = CASE WHEN \(Self.isEarlier) THEN known.outcome ELSE excluded.outcome END,
                    cause = CASE
                        WHEN excluded.outcome = 'open' AND known.outcome = 'open'
                        THEN coalesce(excluded.cause, known.cause)
                        WHEN \(Self.isEarlier) THEN known.cause ELSE excluded.cause
                    END,
                    reference = coalesce(excluded.reference, known.reference),
                    is_test = known.is_test OR excluded.is_test,
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
        OR excluded.outcome = 'answered' AND known.outcome = 'failed' AND known.cause NOT LIKE 'upstream%'
        """
    /// Pattern of a stored authorization request.
    private static let request = #"{"kind":"\#(TraceEvent.Kind.authorization.rawValue)",%"#

    /// Inserts events of traces below the limit, so that repeated requests within one sign-in cannot fill the disk.
    ///
    /// A redemption is not checked, because a code is redeemed only once and this is the most frequent event.
    private static func insertion(of traces: [PendingTrace], in team: TeamID) -> SQL {
        let events = traces.flatMap { trace in trace.events.map { (id: trace.id.rawValue, event: $0) } }
        return """
            INSERT INTO trace_events (team_id, trace_id, at, kind, event)
            SELECT \(team), id, at::timestamptz, kind, event
            FROM unnest(
                \(events.map(\.id)), \(events.map(\.event.at.precise)), \(events.map(\.event.kind.rawValue)),
                \(events.map(\.event.stored))
            ) AS given (id, at, kind, event)
            WHERE CASE kind WHEN \(TraceEvent.Kind.codeRedeemed.rawValue) THEN true ELSE (
                SELECT count(*) FROM (
                    SELECT FROM trace_events AS kept
                    WHERE kept.team_id = \(team) AND kept.trace_id = given.id LIMIT \(TraceDetailStore.eventLimit)
                ) AS events
            ) < \(TraceDetailStore.eventLimit) END
            ON CONFLICT DO NOTHING
            """
    }

    /// The traces, with those of a known code merged into the trace of the sign-in that issued the code.
    func resolved(_ traces: [PendingTrace], in team: TeamID) async throws(PostgresFailure) -> [PendingTrace] {
        var resolved: [TraceID: PendingTrace] = [:]
        // Traces with a code come after those without, so that the sign-in is first when both are written at once.
        for trace in traces.filter({ $0.code == nil }) + traces.filter({ $0.code != nil }) {
            guard let code = trace.code, let event = trace.opening, let id = try await self.trace(of: code, in: team)
            else {
                if resolved[trace.id]?.add(trace) == nil { resolved[trace.id] = trace }
                continue
            }
            var part = PendingTrace(id)
            part.opening = event
            (part.clientID, part.outcome, part.cause) = (trace.clientID, trace.outcome, trace.cause)
            part.reference = trace.reference
            part.events = [event] + trace.events
            if resolved[id]?.add(part) == nil { resolved[id] = part }
        }
        return resolved.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private func trace(of code: AuthorizationCode, in team: TeamID) async throws(PostgresFailure) -> TraceID? {
        let rows = try await database.query(
            """
            SELECT trace_id FROM authorization_codes
            WHERE team_id = \(team) AND \(code.timePartition.condition) AND code_hash = \(code.hash)
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
    var events: [TraceEvent] = []
    /// The code of the request, by which the earlier trace of its sign-in may be found.
    var code: AuthorizationCode?

    init(_ id: TraceID) { self.id = id }

    /// Merges a later event of the same trace.
    mutating func add(_ later: PendingTrace) {
        opening = opening ?? later.opening
        clientID = clientID ?? later.clientID
        subject = later.subject ?? subject
        if later.outcome != .open {
            (outcome, cause) = (later.outcome, later.cause)
        } else if outcome == .open {
            cause = later.cause ?? cause
        }
        reference = later.reference ?? reference
        events += later.events.prefix(max(0, TraceDetailStore.eventLimit - events.count))
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

    mutating func noteDropped(_ events: Int) { dropped += events }
}
