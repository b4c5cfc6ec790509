import OAuth
import Platform
import Postgres
import Synchronization

/// The data export of a user as a stream of chunks: only one page is in memory.
public final class PersonExport: Sendable {
    private enum Step {
        case head(String)
        /// A list in progress: the number of entries sent, and the last of them.
        case list(PersonExportList, sent: Int, last: PersonExportList.Entry?)
        case end
    }

    private let subject: Subject
    private let team: TeamID
    private let reader: PersonExportStore.Reader
    private let store: PersonExportStore
    private let step: Mutex<Step>

    init(
        of subject: Subject, in team: TeamID, for reader: PersonExportStore.Reader, head: String,
        _ store: PersonExportStore
    ) {
        self.subject = subject
        self.team = team
        self.reader = reader
        self.store = store
        step = Mutex(.head(head))
    }

    /// The next chunk, or nil at the end.
    public func next() async throws -> [UInt8]? {
        switch step.withLock({ $0 }) {
        case .head(let text):
            step.withLock { $0 = .list(.signIns, sent: 0, last: nil) }
            // Without the closing brace, because the lists follow within the same object.
            return Array(text.dropLast(2).utf8) + opening(.signIns)
        case .list(let list, let sent, let last): return try await page(of: list, sent, last)
        case .end: return nil
        }
    }

    private func page(of list: PersonExportList, _ sent: Int, _ last: PersonExportList.Entry?) async throws -> [UInt8] {
        let limit = min(list.pageSize, PersonExportStore.listLimit - sent)
        let entries = try await store.page(of: list, after: last, limit: limit, of: subject, in: team, for: reader)
        var bytes: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            bytes += (sent + index == 0 ? "\n        " : ",\n        ").utf8
            bytes += entry.json.utf8
        }
        let total = sent + entries.count
        if entries.count == limit, total < PersonExportStore.listLimit {
            step.withLock { $0 = .list(list, sent: total, last: entries.last) }
            return bytes
        }
        bytes += "\n    ]".utf8
        switch list {
        case .signIns:
            step.withLock { $0 = .list(.history, sent: 0, last: nil) }
            return bytes + opening(.history)
        case .history:
            step.withLock { $0 = .end }
            return bytes + "\n}\n".utf8
        }
    }

    private func opening(_ list: PersonExportList) -> [UInt8] { Array(",\n    \"\(list.rawValue)\": [".utf8) }
}

/// A list that a user's data export reads page by page; the raw value is the name of its member in the JSON document.
enum PersonExportList: String, Sendable {
    case signIns
    case history

    /// One entry of a list: its JSON and its paging cursor.
    struct Entry: Sendable {
        let place: String
        let json: String

        init(_ row: inout Row) throws(PostgresFailure) {
            place = try row.next()
            json = try row.next()
        }
    }

    /// Entries per page: a sign-in may have two hundred events of one kilobyte each.
    var pageSize: Int {
        switch self {
        case .signIns: 20
        case .history: 200
        }
    }

    func selection(
        of subject: Subject, in team: TeamID, for reader: PersonExportStore.Reader, after last: Entry?, limit: Int
    ) -> SQL {
        switch (self, reader) {
        case (.signIns, .team): Self.signIns(subject, team, last, limit, Self.wholeTrace)
        case (.signIns, .person): Self.signIns(subject, team, last, limit, Self.ownTrace)
        case (.history, .team): Self.history(subject, team, last, limit, Self.wholeEvent)
        case (.history, .person):
            Self.history(subject, team, last, limit, Self.ownEvent(subject), leavingOutExports: true)
        }
    }

    /// Reads sign-in traces; the first event of each is a text column of the trace that contains JSON.
    private static func signIns(_ subject: Subject, _ team: TeamID, _ last: Entry?, _ limit: Int, _ trace: SQL) -> SQL {
        """
        SELECT trace_id, (\(trace))::text
        FROM (
            SELECT trace_id, client_id, outcome, cause, opening::jsonb AS opening FROM traces
            WHERE team_id = \(team) AND sub = \(subject) AND (\(last?.place) IS NULL OR trace_id < \(last?.place))
            ORDER BY trace_id DESC LIMIT \(limit)
        ) AS trace CROSS JOIN LATERAL (
            SELECT coalesce(jsonb_agg(event::jsonb ORDER BY at), '[]') AS steps
            FROM (
                SELECT at, event FROM trace_events
                WHERE trace_events.team_id = \(team) AND trace_events.trace_id = trace.trace_id
                ORDER BY at, kind LIMIT \(TraceDetailStore.eventLimit)
            ) AS kept
        ) AS taken
        ORDER BY trace_id DESC
        """
    }

    private static var wholeTrace: SQL {
        """
        jsonb_build_object(
            'id', trace_id, 'clientID', client_id, 'outcome', outcome, 'cause', cause,
            'steps', jsonb_build_array(opening) || steps
        )
        """
    }

    /// The user's own events with time, address and browser; requests, registrations and responses belong to the apps.
    private static var ownTrace: SQL {
        """
        jsonb_build_object(
            'id', trace_id, 'clientID', client_id, 'outcome', outcome,
            'steps', (
                SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                    'kind', step->'kind', 'at', step->'at', 'ip', step->'ip', 'agent', step->'agent'
                )) ORDER BY number), '[]')
                FROM jsonb_array_elements(jsonb_build_array(opening) || steps)
                    WITH ORDINALITY AS one (step, number)
                WHERE step->>'kind' = ANY (\(TraceEvent.Kind.allCases.filter(\.isOfBrowser).map(\.rawValue)))
            )
        )
        """
    }

    /// Reads audit events; the cursor is time and id, which together identify an event.
    private static func history(
        _ subject: Subject, _ team: TeamID, _ last: Entry?, _ limit: Int, _ event: SQL, leavingOutExports: Bool = false
    ) -> SQL {
        let parts = last?.place.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        let (at, id) = (parts.first, parts.last)
        func newest(_ condition: SQL) -> SQL {
            """
            (SELECT * FROM audit_events
            WHERE team_id = \(team) AND \(condition)
                AND (\(at) IS NULL OR (at, event_id) < (
                    timestamptz 'epoch' + \(at)::bigint * interval '1 microsecond', \(id)
                ))
            ORDER BY at DESC, event_id DESC LIMIT \(limit))
            """
        }
        let about: SQL = """
            target_kind = 'user' AND target = \(subject)
                AND NOT (\(leavingOutExports) AND action = 'user.exported' AND actor <> \(subject))
            """
        // The target of a sign-in is the app.
        let signIns: SQL = "actor = \(subject) AND action = \(AuditEvent.signInCompleted) AND target_kind <> 'user'"
        return """
            SELECT (extract(epoch FROM at) * 1000000)::bigint || ' ' || event_id, (\(event))::text
            FROM (\(newest(about)) UNION ALL \(newest(signIns))) AS events
            ORDER BY at DESC, event_id DESC LIMIT \(limit)
            """
    }

    private static var wholeEvent: SQL {
        """
        jsonb_build_object(
            'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome, 'ip', ip, 'userAgent', user_agent,
            'before', before, 'after', after, 'client', CASE target_kind WHEN 'client' THEN target END
        )
        """
    }

    /// Events by others, without their address, browser and reason text.
    private static func ownEvent(_ subject: Subject) -> SQL {
        """
        CASE WHEN actor = \(subject) THEN \(wholeEvent) ELSE jsonb_build_object(
            'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome,
            'before', CASE jsonb_typeof(before) WHEN 'object' THEN before - 'reason' END,
            'after', CASE jsonb_typeof(after) WHEN 'object' THEN after - 'reason' END
        ) END
        """
    }
}
