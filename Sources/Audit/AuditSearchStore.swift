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

    /// How many events fit; they are counted up to 10,000.
    public func count(
        matching filter: AuditFilter,
        in team: TeamID
    ) async throws(PostgresFailure) -> AuditCount {
        let rows = try await database.query(Search(filter: filter, team: team).count, in: team)
        guard var row = rows.first else { return .exactly(0) }
        let count: Int = try row.next()
        return count > Search.countLimit ? .moreThan(Search.countLimit) : .exactly(count)
    }

    /// The ids of the people whom a text names: by name, its beginning, or e-mail address; at most twenty.
    public func people(named text: String, in team: TeamID) async throws(PostgresFailure) -> [String] {
        let rows = try await database.query(
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
        let search = Search(filter: filter, team: team)
        let rows = try await database.query(search.selection(before: cursor, portion), in: team)
        let found = try AuditEntry.all(rows)
        let entries = Array(found.prefix(portion.rawValue))
        return AuditPage(
            entries: entries,
            next: found.count > portion.rawValue ? entries.last?.place : nil
        )
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
        static let countLimit = 10_000

        let filter: AuditFilter
        let team: TeamID

        /// The events before `cursor`, with the people they name.
        func selection(before cursor: AuditEntry.Place?, _ portion: Portion) -> SQL {
            let events: SQL = """
                SELECT e.team_id, \(AuditEntry.storedColumns)
                FROM \(candidates(before: cursor))
                ORDER BY e.at DESC, e.event_id DESC
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
                SELECT FROM \(candidates(before: nil)) ORDER BY e.at DESC, e.event_id DESC LIMIT 10001
            ) AS counted
            """
        }

        private func candidates(before cursor: AuditEntry.Place?) -> SQL {
            let events: SQL =
                if let words = withWords(before: cursor) {
                    """
                    (\(words)) AS w
                    JOIN audit_events e ON e.team_id = \(team) AND e.at = w.at AND e.event_id = w.event_id
                    """
                } else {
                    "audit_events e"
                }
            return """
                \(events)
                WHERE e.team_id = \(team) \(period("e.at")) \(following(cursor, "e.at", "(e.at, e.event_id)"))
                \(actor) \(action) \(target) \(addresses) \(outcome)
                """
        }

        /// The places where all words stand, or nil when none are asked for.
        private func withWords(before cursor: AuditEntry.Place?) -> SQL? {
            filter.words.reduce(nil) { (places: SQL?, word) in
                let rest: SQL = """
                    a.team_id = \(team) AND a.word = \(word)
                    \(period("a.at")) \(following(cursor, "a.at", "(a.at, a.event_id)"))
                    """
                guard let places else {
                    return "SELECT a.at, a.event_id FROM audit_words a WHERE \(rest)"
                }
                return """
                    SELECT a.at, a.event_id
                    FROM (\(places)) AS b JOIN audit_words a ON a.at = b.at AND a.event_id = b.event_id
                    WHERE \(rest)
                    """
            }
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
