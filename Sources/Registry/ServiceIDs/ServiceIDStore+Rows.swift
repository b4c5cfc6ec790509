import Domain
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

    /// Inserts into the lowest free of five slots; retries when a concurrent transaction takes it first.
    static func insert(_ draft: ServiceID.Draft, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        for _ in 0..<Self.attemptLimit {
            let rows = try await transaction.query(insertion(of: draft, in: team))
            var row = try rows.only { (row: inout Row) throws(PostgresFailure) in row }
            let isFull: Bool = try row.next()
            if isFull { throw ValidationError.limitReached(.serviceIDs, of: draft.appID.rawValue) }
            let isInserted: Bool = try row.next()
            if isInserted { return }
        }
        throw PostgresFailure.overloaded
    }

    /// Each retry means that a concurrent transaction took or freed a slot, so a handful is enough.
    private static let attemptLimit = 50

    private static func insertion(of draft: ServiceID.Draft, in team: TeamID) -> SQL {
        """
        WITH free AS (
            SELECT min(candidate.slot) AS slot
            FROM generate_series(1, \(RegistryLimit.serviceIDs.count)) AS candidate (slot)
            WHERE NOT EXISTS (
                SELECT FROM service_ids AS taken
                WHERE taken.team_id = \(team) AND taken.app_id = \(draft.appID)
                    AND taken.slot = candidate.slot
            )
        ), inserted AS (
            INSERT INTO service_ids (
                team_id, identifier, app_id, slot, description, issuer, booleans, requires_pkce
            )
            SELECT \(team), \(draft.identifier), \(draft.appID), free.slot, \(draft.description), \(draft.issuer),
                \(draft.booleans), \(draft.requiresPKCE)
            FROM free
            WHERE free.slot IS NOT NULL
            ON CONFLICT ON CONSTRAINT service_ids_slot_key DO NOTHING
            RETURNING slot
        )
        SELECT free.slot IS NULL, EXISTS (SELECT FROM inserted) FROM free
        """
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
