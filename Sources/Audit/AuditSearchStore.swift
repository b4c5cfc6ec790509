public import Domain
public import Postgres

/// Searches the audit log of one team, newest first.
public struct AuditSearchStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Fifty events that fit, those before `cursor` when there is one.
    public func page(
        matching filter: AuditFilter,
        in team: TeamID,
        before cursor: AuditEntry.Place? = nil
    ) async throws(PostgresFailure) -> AuditPage {
        try await page(matching: filter, in: team, before: cursor, .page)
    }

    /// Five hundred events that fit, for whoever reads the log from end to end.
    public func batch(
        matching filter: AuditFilter,
        in team: TeamID,
        before cursor: AuditEntry.Place? = nil
    ) async throws(PostgresFailure) -> AuditPage {
        try await page(matching: filter, in: team, before: cursor, .batch)
    }

    /// How many events fit; they are counted up to 1,000.
    public func count(
        matching filter: AuditFilter,
        in team: TeamID
    ) async throws(PostgresFailure) -> AuditCount {
        let filter = try await rarestFirst(filter, in: team)
        let rows = try await database.queryPlanned(Search(filter: filter, team: team).count, in: team)
        guard var row = rows.first else { return .exactly(0) }
        let count: Int = try row.next()
        return count > Search.countLimit ? .moreThan(Search.countLimit) : .exactly(count)
    }

    /// The ids of the people whom a text names: by name, its beginning, or e-mail address; at most twenty.
    public func people(named text: String, in team: TeamID) async throws(PostgresFailure) -> [String] {
        let rows = try await database.queryPlanned(
            """
            SELECT DISTINCT p.sub FROM audit_people p
            WHERE p.team_id = \(team) AND (
                p.email_key = lower(\(text))
                OR p.name_key >= lower(\(text)) AND p.name_key < lower(\(text)) || chr(1114111)
            )
            LIMIT 20
            """,
            in: team
        )
        var subjects: [String] = []
        for var row in rows { subjects.append(try row.next()) }
        return subjects
    }

    private func page(
        matching filter: AuditFilter,
        in team: TeamID,
        before cursor: AuditEntry.Place?,
        _ portion: Search.Portion
    ) async throws(PostgresFailure) -> AuditPage {
        let search = Search(filter: try await rarestFirst(filter, in: team), team: team)
        let rows = try await database.queryPlanned(search.selection(before: cursor, portion), in: team)
        let found = try AuditEntry.all(rows)
        let entries = Array(found.prefix(portion.rawValue))
        return AuditPage(
            entries: entries,
            next: found.count > portion.rawValue ? entries.last?.place : nil
        )
    }

    /// The same filter, the word first that the fewest events have: those are walked through for the others.
    private func rarestFirst(
        _ filter: AuditFilter,
        in team: TeamID
    ) async throws(PostgresFailure) -> AuditFilter {
        guard filter.words.count > 1 else { return filter }
        let rows = try await database.queryPlanned(
            """
            SELECT w.word FROM unnest(\(filter.words)) AS w (word), LATERAL (
                SELECT count(*) AS number FROM (
                    SELECT FROM audit_words a WHERE a.team_id = \(team) AND a.word = w.word LIMIT 5000
                ) AS found
            ) AS counted
            ORDER BY counted.number
            """,
            in: team
        )
        var filter = filter
        filter.words = []
        for var row in rows { filter.words.append(try row.next()) }
        return filter
    }
}

// The statements.
extension AuditSearchStore {
    /// The statements that find events: along one index each, newest first.
    ///
    /// Conditions are equalities and ranges of leakproof operators alone: under row-level security no others use an
    /// index. Limits stand in the text, since a plan for an unknown limit prepares for a tenth of the log.
    struct Search {
        /// How many events are read at a time; one more is read, which tells whether there are others.
        enum Portion: Int {
            case page = 50
            case batch = 500

            fileprivate var limit: SQL {
                switch self {
                case .page: "LIMIT 51"
                case .batch: "LIMIT 501"
                }
            }
        }

        /// Events are counted up to here.
        static let countLimit = 1000

        let filter: AuditFilter
        let team: TeamID

        /// The events before `cursor`, with the people they name.
        func selection(before cursor: AuditEntry.Place?, _ portion: Portion) -> SQL {
            let events: SQL = """
                SELECT e.team_id, \(AuditEntry.storedColumns)
                FROM \(candidates(before: cursor, portion.limit))
                ORDER BY \(order)
                \(portion.limit)
                """
            return """
                SELECT \(AuditEntry.columns) FROM \(AuditEntry.naming(events))
                ORDER BY e.at DESC, e.event_id DESC
                """
        }

        /// How many events there are, at most one more than the limit; sorted, so that it goes along the same index.
        var count: SQL {
            """
            SELECT count(*) FROM (
                SELECT FROM \(candidates(before: nil, "LIMIT 1001")) ORDER BY \(order) LIMIT 1001
            ) AS counted
            """
        }

        /// Along the index that is walked.
        private var order: SQL {
            filter.words.isEmpty ? "e.at DESC, e.event_id DESC" : "w.at DESC, w.event_id DESC"
        }

        private func candidates(before cursor: AuditEntry.Place?, _ limit: SQL) -> SQL {
            if filter.words.isEmpty, let actors = filter.actors, actors.count > 1 {
                return events(ofEach: actors, before: cursor, limit)
            }
            return
                "\(withWords(before: cursor) ?? "audit_events e") WHERE \(conditions(before: cursor)) \(actor)"
        }

        /// The newest of each of these actors, along the index of actors, which has no order for several of them.
        private func events(
            ofEach actors: [String],
            before cursor: AuditEntry.Place?,
            _ limit: SQL
        ) -> SQL {
            """
            unnest(\(actors)) AS who (name) CROSS JOIN LATERAL (
                SELECT * FROM audit_events e
                WHERE \(conditions(before: cursor)) AND e.actor = who.name
                ORDER BY e.at DESC, e.event_id DESC
                \(limit)
            ) AS e
            """
        }

        /// All but the actor.
        private func conditions(before cursor: AuditEntry.Place?) -> SQL {
            """
            e.team_id = \(team) \(period("e.at")) \(following(cursor, "e.at", "(e.at, e.event_id)"))
            \(action) \(target) \(addresses) \(outcome)
            """
        }

        /// The events in which all words stand, or nil when none are asked for.
        ///
        /// The places of the first word are walked through in their order, and each is looked up among those of the
        /// others. OFFSET 0 makes sure of that: joined freely, all places of a word may be read for one page.
        private func withWords(before cursor: AuditEntry.Place?) -> SQL? {
            guard let first = filter.words.first else { return nil }
            let walked: SQL = """
                SELECT a.at, a.event_id FROM audit_words a
                WHERE a.team_id = \(team) AND a.word = \(first)
                \(period("a.at")) \(following(cursor, "a.at", "(a.at, a.event_id)"))
                """
            let places = filter.words.dropFirst().reduce(walked) { (places: SQL, word) in
                """
                SELECT b.at, b.event_id FROM (\(places)) AS b JOIN LATERAL (
                    SELECT FROM audit_words a
                    WHERE a.team_id = \(team) AND a.word = \(word) AND a.at = b.at AND a.event_id = b.event_id
                    OFFSET 0
                ) AS also ON true
                """
            }
            return """
                (\(places)) AS w JOIN LATERAL (
                    SELECT * FROM audit_events e
                    WHERE e.team_id = \(team) AND e.at = w.at AND e.event_id = w.event_id
                    OFFSET 0
                ) AS e ON true
                """
        }

        /// The plain comparison is for the partitions: they are chosen by it, not by that of pairs.
        private func following(_ cursor: AuditEntry.Place?, _ at: SQL, _ place: SQL) -> SQL {
            guard let cursor else { return "" }
            return "AND \(at) <= \(cursor.at) AND \(place) < (\(cursor.at), \(cursor.id))"
        }

        private func period(_ at: SQL) -> SQL {
            let since: SQL = if let moment = filter.since { "AND \(at) >= \(moment)" } else { "" }
            let until: SQL = if let moment = filter.until { "AND \(at) < \(moment)" } else { "" }
            return "\(since) \(until)"
        }

        /// One actor is an equality, so that the index gives its events in order.
        private var actor: SQL {
            guard let actors = filter.actors else { return "" }
            return actors.count == 1 ? "AND e.actor = \(actors[0])" : "AND e.actor = ANY (\(actors))"
        }

        private var action: SQL {
            if let action = filter.action { "AND e.action = \(action)" } else { "" }
        }

        private var target: SQL {
            guard let target = filter.target else { return "" }
            let kind: SQL = if let kind = filter.targetKind { "AND e.target_kind = \(kind)" } else { "" }
            return "AND e.target = \(target) \(kind)"
        }

        private var addresses: SQL {
            guard let range = filter.addresses else { return "" }
            return range.isSingle
                ? "AND e.ip_key = \(range.first)"
                : "AND e.ip_key >= \(range.first) AND e.ip_key <= \(range.last)"
        }

        /// Not bound: what is refused has an index of its own, and only a literal proves that it fits.
        private var outcome: SQL {
            switch filter.outcome {
            case .succeeded: "AND e.outcome = 'succeeded'"
            case .refused: "AND e.outcome = 'refused'"
            case nil: ""
            }
        }
    }
}
