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
        return try rows.column()
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
            let word: String? = try row.next()
            if let word { words.append(word) } else { search.walksEvents = words.isEmpty }
        }
        search.filter.words = words
        return search
    }
}
