import Domain
import Postgres

/// Numbers of App IDs, domains and return URLs of a team, compared with `RegistryLimit`.
///
/// The limits bound what the engine reads per team, because teams are served on the same threads.
enum TeamQuotaStore {
    /// Locks the team's row against concurrent additions until the transaction ends; must be its first lock.
    static func hold(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }

    /// - Throws: `ValidationError` when the team has reached its number of App IDs; call `hold` first.
    static func requireAppID(in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let rows = try await transaction.query("SELECT count(*) FROM app_ids WHERE team_id = \(team)")
        if try count(rows) >= RegistryLimit.appIDs.count {
            throw ValidationError.limitReached(.appIDs, of: team.rawValue)
        }
    }

    /// Numbers of domains and return URLs over all Service IDs of a team.
    struct Addresses: Equatable {
        let domains: Int
        let returnURLs: Int
    }

    /// Numbers over all Service IDs except the one about to be saved.
    static func addresses(beside identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Addresses
    {
        let rows = try await transaction.query(
            """
            SELECT
                (SELECT count(*) FROM service_domains
                    WHERE team_id = \(team) AND service_id <> \(identifier)),
                (SELECT count(*) FROM return_urls WHERE team_id = \(team) AND service_id <> \(identifier))
            """)
        return try rows.only { (row: inout Row) throws(PostgresFailure) in
            Addresses(domains: try row.next(), returnURLs: try row.next())
        }
    }

    /// - Parameter current: the saved values of the Service ID; a team beyond its limits may keep or reduce them.
    /// - Throws: `ValidationError` when the Service IDs of the team together would exceed a limit; call `hold` first.
    static func requireAddresses(
        of draft: ServiceID.Draft, over current: ServiceID.Draft?, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws {
        let addsDomains = draft.domains.count > current?.domains.count ?? 0
        let addsURLs = draft.returnURLs.count > current?.returnURLs.count ?? 0
        guard addsDomains || addsURLs else { return }
        let others = try await addresses(beside: draft.identifier, in: team, transaction)
        if addsDomains, others.domains + draft.domains.count > RegistryLimit.teamDomains.count {
            throw ValidationError.limitReached(.teamDomains, of: team.rawValue)
        }
        if addsURLs, others.returnURLs + draft.returnURLs.count > RegistryLimit.teamReturnURLs.count {
            throw ValidationError.limitReached(.teamReturnURLs, of: team.rawValue)
        }
    }

    private static func count(_ rows: Rows) throws(PostgresFailure) -> Int {
        try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }
}
