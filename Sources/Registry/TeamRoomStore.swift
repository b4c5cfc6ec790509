import Domain
import Postgres

/// How much of what a team may register is taken.
///
/// Whatever the engine reads of a team is bounded by it: other teams are served on the same threads.
enum TeamRoomStore {
    /// Keeps other changes from taking room until the transaction ends: ask it first, before anything else is locked.
    static func hold(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }

    /// - Throws: `Refusal` when the team has as many App IDs as it may, once it is held.
    static func requireAppID(in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let rows = try await transaction.query("SELECT count(*) FROM app_ids WHERE team_id = \(team)")
        if try count(rows) >= Limit.appIDs.count {
            throw Refusal.limitReached(.appIDs, of: team.rawValue)
        }
    }

    /// What the Service IDs of a team have together.
    struct Addresses: Equatable {
        let domains: Int
        let returnURLs: Int
    }

    /// What they have beside the one that is about to be saved.
    static func addresses(
        beside identifier: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Addresses {
        let rows = try await transaction.query(
            """
            SELECT
                (SELECT count(*) FROM service_domains
                    WHERE team_id = \(team) AND service_id <> \(identifier)),
                (SELECT count(*) FROM return_urls WHERE team_id = \(team) AND service_id <> \(identifier))
            """
        )
        return try rows.only { (row: inout Row) throws(PostgresFailure) in
            Addresses(domains: try row.next(), returnURLs: try row.next())
        }
    }

    /// - Parameter current: what the Service ID has already; a team beyond its limits may keep that, or take less.
    /// - Throws: `Refusal` when the Service IDs of the team had too much together, once it is held.
    static func requireAddresses(
        of draft: ServiceID.Draft,
        over current: ServiceID.Draft?,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let addsDomains = draft.domains.count > current?.domains.count ?? 0
        let addsURLs = draft.returnURLs.count > current?.returnURLs.count ?? 0
        guard addsDomains || addsURLs else { return }
        let others = try await addresses(beside: draft.identifier, in: team, transaction)
        if addsDomains, others.domains + draft.domains.count > Limit.teamDomains.count {
            throw Refusal.limitReached(.teamDomains, of: team.rawValue)
        }
        if addsURLs, others.returnURLs + draft.returnURLs.count > Limit.teamReturnURLs.count {
            throw Refusal.limitReached(.teamReturnURLs, of: team.rawValue)
        }
    }

    private static func count(_ rows: Rows) throws(PostgresFailure) -> Int {
        try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }
}
