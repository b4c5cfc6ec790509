import Core
import HTTP
public import Postgres

/// Searches the audit log of one team, newest first.
public struct AuditSearchStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns up to fifty matching events, those before `cursor` if given.
    public func page(matching filter: AuditFilter, in team: TeamID, before cursor: AuditEntry.Place? = nil)
        async throws(PostgresFailure) -> AuditPage
    { try await page(matching: filter, in: team, before: cursor, .page) }

    /// Returns up to five hundred matching events, for callers that read the log from end to end.
    public func batch(matching filter: AuditFilter, in team: TeamID, before cursor: AuditEntry.Place? = nil)
        async throws(PostgresFailure) -> AuditPage
    { try await page(matching: filter, in: team, before: cursor, .batch) }

    /// Returns the ids of up to twenty users whose name begins with a text or whose email address it is, in any case.
    ///
    /// Members are found by any word of their name in any spelling (`folded`), too, and users as the list of users finds them.
    public func people(named text: String, in team: TeamID) async throws(PostgresFailure) -> [String] {
        let address = EmailAddress(typed: text)?.rawValue ?? text
        let rows = try await database.search(
            """
            SELECT DISTINCT p.sub FROM audit_people p
            WHERE p.team_id = \(team) AND (
                p.email_key = lower(\(address))
                OR p.name_key >= lower(\(text)) AND p.name_key < lower(\(text)) || chr(1114111)
            )
            LIMIT 20
            """, in: team)
        let found: [String] = try rows.column()
        return found + (try await members(named: text, in: team).filter { !found.contains($0) }.prefix(20))
    }

    /// Reads all whom the log names, who are few: PostgreSQL folds no text.
    private func members(named text: String, in team: TeamID) async throws(PostgresFailure) -> [String] {
        let folded = text.folded
        guard !folded.isEmpty else { return [] }
        let rows = try await database.query(
            "SELECT sub, name FROM audit_people WHERE team_id = \(team) AND kind = 'member' LIMIT 2000", in: team)
        var found: [String] = []
        for var row in rows {
            let (subject, name): (String, String) = (try row.next(), try row.next())
            if name.searchTerms.contains(where: { $0.utf8.starts(with: folded.utf8) }) { found.append(subject) }
        }
        return found
    }

    private func page(
        matching filter: AuditFilter, in team: TeamID, before cursor: AuditEntry.Place?, _ portion: Search.Portion
    ) async throws(PostgresFailure) -> AuditPage {
        let search = try await search(for: filter, in: team)
        let rows = try await database.search(search.selection(before: cursor, portion), in: team)
        let found = try AuditEntry.all(rows)
        let entries = Array(found.prefix(portion.rawValue))
        let isFull = found.count > portion.rawValue
        let reached = isFull ? nil : try await end(of: search, before: cursor, portion)
        return AuditPage(
            entries: entries, next: isFull ? entries.last?.place : reached, isPartial: reached != nil,
            count: portion == .page && reached == nil ? try await count(of: search) : nil)
    }

    private func count(of search: Search) async throws(PostgresFailure) -> AuditCount {
        let rows = try await database.search(search.count, in: search.team)
        guard var row = rows.first else { return .exactly(0) }
        let count: Int = try row.next()
        guard count <= Search.countLimit else { return .moreThan(Search.countLimit) }
        return try await end(of: search, before: nil, .page) == nil ? .exactly(count) : .moreThan(count)
    }

    /// Where a search with a limited reach stopped; nil when it examined everything.
    private func end(of search: Search, before cursor: AuditEntry.Place?, _ portion: Search.Portion)
        async throws(PostgresFailure) -> AuditEntry.Place?
    {
        guard let end = search.end(before: cursor, portion) else { return nil }
        guard var row = try await database.search(end, in: search.team).first else { return nil }
        return AuditEntry.Place(at: try row.next(), id: try row.next())
    }

    /// Sorts the terms by rarity; decides whether to walk the rarest term or the events that meet other conditions.
    func search(for filter: AuditFilter, in team: TeamID) async throws(PostgresFailure) -> Search {
        var search = Search(filter: filter, team: team)
        guard filter.words.count > 1 || search.looksAtEach else { return search }
        let rows = try await database.search(search.frequencies, in: team)
        var words: [String] = []
        for var row in rows {
            let number: Int? = try row.next()
            if let number { words.append(filter.words[number]) } else { search.walksEvents = words.isEmpty }
        }
        search.filter.words = words
        return search
    }
}

// The SQL statements.
extension AuditSearchStore {
    /// Builds the statements that find events; each walks one index, newest first.
    ///
    /// Conditions are only equalities and ranges of leakproof operators, because under row-level security PostgreSQL
    /// uses no index for others. Limits are part of the text, because the plan for an unknown limit assumes a tenth of
    /// the log.
    struct Search {
        /// Number of events per read; one more is read to learn whether others follow.
        enum Portion: Int {
            case page = 50
            case batch = 500

            fileprivate var limit: SQL {
                switch self {
                case .page: "LIMIT 51"
                case .batch: "LIMIT 501"
                }
            }

            /// Number of index entries of a term to examine, because the other conditions may match none of them.
            fileprivate var reach: SQL {
                switch self {
                case .page: "5000"
                case .batch: "50000"
                }
            }
        }

        /// Number of rows up to which frequencies are counted.
        private static let rare: SQL = "LIMIT 10000"

        var filter: AuditFilter
        let team: TeamID
        /// Whether to walk the events and test each for the terms, instead of walking the entries of a term.
        var walksEvents = false

        /// Whether the filter has terms and also a condition on something other than terms and time.
        var looksAtEach: Bool {
            !filter.words.isEmpty
                && (filter.actors != nil || filter.action != nil || filter.target != nil || filter.addresses != nil
                    || filter.outcome != nil)
        }

        /// Number of events up to which results are counted.
        static let countLimit = 1000

        /// Frequency of each term, and in a row with a null term that of the other conditions together; rarest first.
        var frequencies: SQL {
            let others: SQL = """
                SELECT NULL::integer, count(*) FROM (
                    SELECT FROM audit_events e WHERE \(conditions(before: nil)) \(actor) \(Self.rare)
                ) AS found
                """
            var counts = looksAtEach ? [others] : []
            for (number, word) in filter.words.enumerated() {
                let found = places(of: word, before: nil, Self.rare)
                counts.append("SELECT \(number)::integer, count(*) FROM (\(found)) AS found")
            }
            return "\(Self.union(counts)) ORDER BY 2, 1 NULLS LAST"
        }

        /// The matching events before `cursor`, with the names of their actors and targets.
        func selection(before cursor: AuditEntry.Place?, _ portion: Portion) -> SQL {
            let events: SQL = """
                SELECT e.team_id, \(AuditEntry.storedColumns)
                FROM \(candidates(before: cursor, portion.limit, portion.reach))
                ORDER BY \(order)
                \(portion.limit)
                """
            return """
                SELECT \(AuditEntry.columns) FROM \(AuditEntry.naming(events))
                ORDER BY e.at DESC, e.event_id DESC
                """
        }

        /// Number of matching events, at most one more than `countLimit`; sorted, so that it walks the same index.
        var count: SQL {
            """
            SELECT count(*) FROM (
                SELECT FROM \(candidates(before: nil, "LIMIT 1001", Portion.page.reach)) ORDER BY \(order) LIMIT 1001
            ) AS counted
            """
        }

        private var walksWords: Bool { !filter.words.isEmpty && !walksEvents }

        /// The order of the index that is walked.
        private var order: SQL { !walksWords ? "e.at DESC, e.event_id DESC" : "w.at DESC, w.event_id DESC" }

        /// The last index entry within the reach of the search, if there are so many; nil for a search without a reach.
        func end(before cursor: AuditEntry.Place?, _ portion: Portion) -> SQL? {
            guard looksAtEachPlace, walksWords, let first = filter.words.first else { return nil }
            return """
                SELECT at, event_id FROM (\(places(of: first, before: cursor, "LIMIT \(portion.reach)"))) AS walked
                OFFSET \(portion.reach) - 1
                """
        }

        private func candidates(before cursor: AuditEntry.Place?, _ limit: SQL, _ reach: SQL) -> SQL {
            if !walksWords, let actors = filter.actors, actors.count > 1 {
                return events(ofEach: actors, before: cursor, limit)
            }
            let withWords = withWords(before: cursor, looksAtEachPlace ? "LIMIT \(reach)" : limit)
            return "\(withWords ?? "audit_events e") WHERE \(conditions(before: cursor)) \(actor)"
        }

        /// The newest events of each actor, because the index of actors has no order across several of them.
        private func events(ofEach actors: [String], before cursor: AuditEntry.Place?, _ limit: SQL) -> SQL {
            """
            unnest(\(actors)) AS who (name) CROSS JOIN LATERAL (
                SELECT * FROM audit_events e
                WHERE \(conditions(before: cursor)) AND e.actor = who.name
                ORDER BY e.at DESC, e.event_id DESC
                \(limit)
            ) AS e
            """
        }

        /// All conditions except the actor.
        private func conditions(before cursor: AuditEntry.Place?) -> SQL {
            """
            e.team_id = \(team) \(period("e.at")) \(following(cursor, "e.at", "(e.at, e.event_id)"))
            \(action) \(target) \(addresses) \(outcome) \(words)
            """
        }

        /// The terms as a condition on each event that meets the others; no index serves it.
        private var words: SQL {
            guard walksEvents else { return "" }
            return """
                AND (e.words @> \(filter.words.map { $0.lowercased() })
                    OR e.words = '{}' AND \(filter.words) <@ ARRAY[e.actor, e.target, e.request_id])
                """
        }

        /// The events that have all terms, or nil when the entries of a term are not walked.
        ///
        /// Walks the entries of the first term in order and looks up each among those of the others. OFFSET 0 enforces
        /// this, because with a free choice of joins PostgreSQL may read all entries of a term for one page.
        private func withWords(before cursor: AuditEntry.Place?, _ limit: SQL) -> SQL? {
            guard walksWords, let first = filter.words.first else { return nil }
            let walked = places(of: first, before: cursor, limit)
            let places = filter.words.dropFirst().reduce(walked) { (places: SQL, word) in
                """
                SELECT b.at, b.event_id FROM (\(places)) AS b JOIN LATERAL (
                    SELECT FROM audit_words a
                    WHERE a.team_id = \(team) AND a.word = \(word.lowercased()) AND a.at = b.at
                        AND a.event_id = b.event_id
                    UNION ALL
                    SELECT FROM audit_events e
                    WHERE e.team_id = \(team) AND e.at = b.at AND e.event_id = b.event_id AND e.words = '{}'
                        AND \(word) IN (e.actor, e.target, e.request_id)
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

        /// The newest events with a term: the entries of the term, and what columns find of the events without terms.
        ///
        /// Each way is limited by itself, so that each walks its index no further than it has to.
        private func places(of word: String, before cursor: AuditEntry.Place?, _ limit: SQL) -> SQL {
            func newest(_ table: SQL, _ condition: SQL) -> SQL {
                """
                (SELECT a.at, a.event_id FROM \(table) a
                WHERE a.team_id = \(team) AND \(condition)
                    \(period("a.at")) \(following(cursor, "a.at", "(a.at, a.event_id)"))
                ORDER BY a.at DESC, a.event_id DESC \(limit))
                """
            }
            var ways = [newest("audit_words", "a.word = \(word.lowercased())")]
            let columns: [SQL] = ["a.actor = \(word)", "a.target = \(word) AND a.actor <> a.target"]
            ways += columns.map { newest("audit_events", "\($0) AND a.words = '{}'") }
            // A reference tells when its request came; no index has it.
            if let time = RequestID.time(of: word) {
                let near: SQL = "a.at BETWEEN \(time - .seconds(600)) AND \(time + .seconds(600))"
                ways.append(newest("audit_events", "\(near) AND a.request_id = \(word) AND a.words = '{}'"))
            }
            // Planned by itself: for the few rows that an outer limit asks for, PostgreSQL would walk all events of the team
            // in each way that finds none.
            return """
                WITH newest AS MATERIALIZED (
                    SELECT at, event_id FROM (\(Self.union(ways))) AS a ORDER BY at DESC, event_id DESC \(limit)
                )
                SELECT at, event_id FROM newest
                """
        }

        private static func union(_ selections: [SQL]) -> SQL {
            selections.dropFirst().reduce(selections.first ?? "") { (all: SQL, one) in "\(all) UNION ALL \(one)" }
        }

        /// Whether an entry of the term that is walked may fail another condition.
        private var looksAtEachPlace: Bool { walksWords && (looksAtEach || filter.words.count > 1) }

        /// The condition on rows after `cursor`; it compares times alone as well, because pairs prune no partitions.
        private func following(_ cursor: AuditEntry.Place?, _ at: SQL, _ place: SQL) -> SQL {
            guard let cursor else { return "" }
            return "AND \(at) <= \(cursor.at) AND \(place) < (\(cursor.at), \(cursor.id))"
        }

        private func period(_ at: SQL) -> SQL {
            let since: SQL = if let moment = filter.since { "AND \(at) >= \(moment)" } else { "" }
            let until: SQL = if let moment = filter.until { "AND \(at) < \(moment)" } else { "" }
            return "\(since) \(until)"
        }

        /// A single actor is an equality, so that the index returns its events in order.
        private var actor: SQL {
            guard let actors = filter.actors else { return "" }
            return actors.count == 1 ? "AND e.actor = \(actors[0])" : "AND e.actor = ANY (\(actors))"
        }

        private var action: SQL { if let action = filter.action { "AND e.action = \(action)" } else { "" } }

        private var target: SQL {
            guard let target = filter.target else { return "" }
            let kind: SQL = if let kind = filter.targetKind { "AND e.target_kind = \(kind)" } else { "" }
            return "AND e.target = \(target) \(kind)"
        }

        private var addresses: SQL {
            guard let range = filter.addresses else { return "" }
            let (first, last) = (range.first.bytes, range.last.bytes)
            return first == last ? "AND e.ip_key = \(first)" : "AND e.ip_key >= \(first) AND e.ip_key <= \(last)"
        }

        /// The outcome is a literal, because PostgreSQL uses the partial index of refused events for no parameter.
        private var outcome: SQL {
            switch filter.outcome {
            case .succeeded: "AND e.outcome = 'succeeded'"
            case .refused: "AND e.outcome = 'refused'"
            case nil: ""
            }
        }
    }
}
