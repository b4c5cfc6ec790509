import Domain
import Postgres

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

            /// How many places of a word are looked at, where what else is asked for may fit none of them.
            fileprivate var reach: SQL {
                switch self {
                case .page: "5000"
                case .batch: "50000"
                }
            }
        }

        /// As many rows are counted to tell what is rare.
        private static let rare: SQL = "LIMIT 10000"

        var filter: AuditFilter
        let team: TeamID
        /// Whether the events are walked through for the words, which is the other way round.
        var walksEvents = false

        /// Whether something else than words and time is asked for beside words.
        var looksAtEach: Bool {
            !filter.words.isEmpty
                && (filter.actors != nil || filter.action != nil || filter.target != nil
                    || filter.addresses != nil || filter.outcome != nil)
        }

        /// Events are counted up to here.
        static let countLimit = 1000

        /// How often each word stands, and without a word how many events fit the rest: the rarest first.
        var frequencies: SQL {
            let words: SQL = """
                SELECT w.word, counted.number FROM unnest(\(filter.words)) AS w (word), LATERAL (
                    SELECT count(*) AS number FROM (
                        SELECT FROM audit_words a
                        WHERE a.team_id = \(team) AND a.word = w.word \(period("a.at"))
                        \(Self.rare)
                    ) AS found
                ) AS counted
                """
            let others: SQL = """
                UNION ALL SELECT NULL, count(*) FROM (
                    SELECT FROM audit_events e WHERE \(conditions(before: nil)) \(actor) \(Self.rare)
                ) AS found
                """
            return "\(words) \(looksAtEach ? others : "") ORDER BY 2, 1 NULLS LAST"
        }

        /// The events before `cursor`, with the people they name.
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

        /// How many events there are, at most one more than the limit; sorted, so that it goes along the same index.
        var count: SQL {
            """
            SELECT count(*) FROM (
                SELECT FROM \(candidates(before: nil, "LIMIT 1001", Portion.page.reach)) ORDER BY \(order) LIMIT 1001
            ) AS counted
            """
        }

        private var walksWords: Bool { !filter.words.isEmpty && !walksEvents }

        /// Along the index that is walked.
        private var order: SQL {
            !walksWords ? "e.at DESC, e.event_id DESC" : "w.at DESC, w.event_id DESC"
        }

        /// The last of the places that are looked at, when there are so many; nil where the search has no end of its own.
        func end(before cursor: AuditEntry.Place?, _ portion: Portion) -> SQL? {
            guard looksAtEachPlace, let walked = walked(before: cursor) else { return nil }
            return """
                SELECT at, event_id FROM (\(walked) \(Self.newestFirst) LIMIT \(portion.reach)) AS walked
                OFFSET \(portion.reach) - 1
                """
        }

        private func candidates(
            before cursor: AuditEntry.Place?,
            _ limit: SQL,
            _ reach: SQL
        ) -> SQL {
            if !walksWords, let actors = filter.actors, actors.count > 1 {
                return events(ofEach: actors, before: cursor, limit)
            }
            return
                "\(withWords(before: cursor, reach) ?? "audit_events e") WHERE \(conditions(before: cursor)) \(actor)"
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
            \(action) \(target) \(addresses) \(outcome) \(words)
            """
        }

        /// No index serves it, so it is asked of each event that the rest leaves.
        private var words: SQL {
            if walksEvents { "AND e.words @> \(filter.words)" } else { "" }
        }

        /// The events in which all words stand, or nil when none are asked for.
        ///
        /// The places of the first word are walked through in their order, and each is looked up among those of the
        /// others. OFFSET 0 makes sure of that: joined freely, all places of a word may be read for one page.
        private func withWords(before cursor: AuditEntry.Place?, _ reach: SQL) -> SQL? {
            guard var walked = walked(before: cursor) else { return nil }
            if looksAtEachPlace { walked = "\(walked) \(Self.newestFirst) LIMIT \(reach)" }
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

        /// The places of the word that is walked through; nil when none is.
        private func walked(before cursor: AuditEntry.Place?) -> SQL? {
            guard walksWords, let first = filter.words.first else { return nil }
            return """
                SELECT a.at, a.event_id FROM audit_words a
                WHERE a.team_id = \(team) AND a.word = \(first)
                \(period("a.at")) \(following(cursor, "a.at", "(a.at, a.event_id)"))
                """
        }

        private static let newestFirst: SQL = "ORDER BY a.at DESC, a.event_id DESC"

        /// Whether a place of the word that is walked may not be among what is asked for.
        private var looksAtEachPlace: Bool { walksWords && (looksAtEach || filter.words.count > 1) }

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
