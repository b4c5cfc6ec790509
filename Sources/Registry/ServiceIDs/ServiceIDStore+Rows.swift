import Platform
import Postgres

// SQL of the changes.
extension ServiceIDStore {
    static let columns: SQL = """
        s.identifier, s.app_id, s.description, s.issuer, s.booleans, s.requires_pkce, s.version, s.created_at,
        ARRAY(
            SELECT d.domain FROM service_domains AS d
            WHERE d.team_id = s.team_id AND d.service_id = s.identifier ORDER BY d.domain
        ),
        ARRAY(
            SELECT u.url FROM return_urls AS u
            WHERE u.team_id = s.team_id AND u.service_id = s.identifier ORDER BY u.slot
        )
        """

    static func selection(_ identifier: ClientID, _ team: TeamID) -> SQL {
        """
        SELECT \(columns) FROM service_ids AS s
        WHERE s.team_id = \(team) AND s.identifier = \(identifier)
        """
    }

    /// Locks the Service ID's row until the transaction ends, and reads it.
    ///
    /// Uses two statements, because one that waits for the lock returns domains and return URLs from before its wait.
    static func lock(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> ServiceID?
    {
        try await transaction.query(
            """
            SELECT FROM service_ids WHERE team_id = \(team) AND identifier = \(identifier) FOR UPDATE
            """)
        return try await transaction.query(selection(identifier, team)).firstValue(ServiceID.init)
    }

    /// Inserts into the lowest free slot; the team is locked.
    static func insert(_ draft: ServiceID.Draft, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let others: SQL = "service_ids WHERE team_id = \(team) AND app_id = \(draft.appID)"
        let added = try await transaction.query(
            """
            INSERT INTO service_ids (team_id, identifier, app_id, slot, description, issuer, booleans, requires_pkce)
            SELECT \(team), \(draft.identifier), \(draft.appID), slot, \(draft.description), \(draft.issuer),
                \(draft.booleans), \(draft.requiresPKCE)
            FROM \(Quota.serviceIDs.freeSlot(beside: others))
            """)
        guard added.changed == 1 else { throw ValidationError.limitReached(.serviceIDs, of: draft.appID.rawValue) }
    }

    /// - Parameter current: the saved values of the Service ID; a team beyond its quotas may keep or reduce them.
    /// - Throws: `ValidationError` when the Service IDs of the team, which is locked, would have too many together.
    static func requireRoom(
        for draft: ServiceID.Draft, over current: ServiceID.Draft?, in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let others: SQL = "team_id = \(team) AND service_id <> \(draft.identifier)"
        let (domains, urls) = (draft.domains.count, draft.returnURLs.count)
        if domains > current?.domains.count ?? 0,
            try await !Quota.teamDomains.hasRoom(for: domains, beside: "service_domains WHERE \(others)", transaction)
        {
            throw ValidationError.limitReached(.teamDomains, of: team.rawValue)
        }
        if urls > current?.returnURLs.count ?? 0,
            try await !Quota.teamReturnURLs.hasRoom(for: urls, beside: "return_urls WHERE \(others)", transaction)
        {
            throw ValidationError.limitReached(.teamReturnURLs, of: team.rawValue)
        }
    }

    /// Replaces domains and return URLs by those of the draft, the URLs in its order.
    static func write(_ draft: ServiceID.Draft, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        let domains = draft.domains.map(\.text)
        let urls = draft.returnURLs.map(\.text)
        try await transaction.query(
            """
            DELETE FROM service_domains
            WHERE team_id = \(team) AND service_id = \(draft.identifier) AND NOT domain = ANY(\(domains))
            """)
        try await transaction.query(
            """
            INSERT INTO service_domains (team_id, service_id, domain)
            SELECT \(team), \(draft.identifier), domain FROM unnest(\(domains)) AS domain
            ON CONFLICT DO NOTHING
            """)
        try await transaction.query(
            """
            DELETE FROM return_urls WHERE team_id = \(team) AND service_id = \(draft.identifier)
            """)
        try await transaction.query(
            """
            INSERT INTO return_urls (team_id, service_id, slot, url)
            SELECT \(team), \(draft.identifier), slot, url
            FROM unnest(\(urls)) WITH ORDINALITY AS given (url, slot)
            """)
    }
}
