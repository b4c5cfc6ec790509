import Core
public import Platform
import Postgres

/// The terms that find users by what their names and addresses begin with, written after each change of these.
public struct UserSearchTermStore: Sendable {
    /// Users whose terms are written at once.
    private static let batch = 500

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Writes the terms of users that have changed, batch by batch.
    ///
    /// - Parameter batches: most batches; nil for all, of as many users as there are.
    public func update(in team: TeamID, atMost batches: Int? = nil) async throws {
        var count = 0
        while batches.map({ count < $0 }) ?? true {
            let changed = try await database.query(
                "SELECT FROM user_search_changes WHERE team_id = \(team) LIMIT 1", in: team)
            if changed.isEmpty { return }
            let written = try await database.transaction(in: team) { try await updateBatch(team, $0) }
            // Those left are locked by a change of theirs, or by another process that writes their terms.
            if written == 0 { return }
            count += 1
        }
    }

    /// Locks the users first, as whoever changes or deletes them does: so the terms are those of the names that are read, and
    /// nobody waits for a row that this holds while this waits for theirs.
    private func updateBatch(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> Int
    {
        let rows = try await transaction.query(
            """
            SELECT c.sub, c.number, u.given_name, u.family_name, u.email, u.relay_address
            FROM user_search_changes c JOIN users u ON u.team_id = c.team_id AND u.sub = c.sub
            WHERE c.team_id = \(team)
            ORDER BY c.sub
            LIMIT \(Self.batch)
            FOR NO KEY UPDATE OF u SKIP LOCKED
            """)
        var (subjects, numbers): ([String], [Int]) = ([], [])
        var (owners, terms): ([String], [String]) = ([], [])
        for var row in rows {
            let (subject, number): (String, Int) = (try row.next(), try row.next())
            let name = PersonName(stored: try row.next(), try row.next())
            let addresses: [EmailAddress?] = [try row.next(), try row.next()]
            let own = UserSearch.terms(of: name, addresses.compactMap(\.self))
            subjects.append(subject)
            numbers.append(number)
            owners += own.map { _ in subject }
            terms += own
        }
        guard !subjects.isEmpty else { return 0 }
        try await transaction.query(
            """
            WITH term AS (
                SELECT sub, term FROM unnest(\(owners)::text[], \(terms)::text[]) AS given (sub, term)
            ), gone AS (
                DELETE FROM user_search_terms known
                WHERE known.team_id = \(team) AND known.sub = ANY (\(subjects))
                    AND NOT EXISTS (SELECT FROM term t WHERE t.sub = known.sub AND t.term = known.term)
            ), done AS (
                DELETE FROM user_search_changes c
                USING unnest(\(subjects)::text[], \(numbers.map(String.init))::integer[]) AS read (sub, number)
                WHERE c.team_id = \(team) AND c.sub = read.sub AND c.number = read.number
            )
            INSERT INTO user_search_terms (team_id, sub, term)
            SELECT \(team), sub, term FROM term ORDER BY sub, term
            ON CONFLICT DO NOTHING
            """)
        return subjects.count
    }
}

/// Writes the terms of all teams' changed users.
public struct UserSearchRound: Sendable {
    private let system: SystemDatabase
    private let terms: UserSearchTermStore

    public init(_ database: TeamDatabase, system: SystemDatabase) {
        self.system = system
        terms = UserSearchTermStore(database)
    }

    public func run() async throws {
        let teams: [TeamID] = try await system.query("SELECT DISTINCT team_id FROM user_search_changes").column()
        try await teams.forEachTeam { try await terms.update(in: $0) }
    }
}
