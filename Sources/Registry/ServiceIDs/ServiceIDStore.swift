public import Core
public import Platform
public import Postgres

/// The Service IDs of each team, with their domains and return URLs.
///
/// Every change runs with its audit event in the caller's transaction; it throws `ValidationError` when it breaks a
/// registry rule, else `PostgresFailure`.
public struct ServiceIDStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ identifier: ClientID, in team: TeamID) async throws(PostgresFailure) -> ServiceID? {
        try await database.query(Self.selection(identifier, team), in: team).firstValue(ServiceID.init)
    }

    /// - Throws: `ValidationError` when the identifier is not free in the team, compared without regard to case.
    public func requireFree(_ identifier: ClientID, _ change: borrowing Change) async throws {
        try await ClientIdentifierStore.requireFree(identifier, for: .service, change)
    }

    public func create(_ draft: ServiceID.Draft, _ change: borrowing Change) async throws -> ServiceID {
        try await change.lockTeam()
        try await AppIDStore.hold(draft.appID, change)
        try await ClientIdentifierStore.claim(draft.identifier, for: .service, change)
        try await Self.requireRoom(for: draft, over: nil, change)
        try await Self.insert(draft, change)
        try await Self.write(draft, change)
        try await change.record("service_id.created", .serviceID(draft.identifier), to: draft.auditedMembers)
        return try await change.query(Self.selection(draft.identifier, change.team)).only(ServiceID.init)
    }

    /// Replaces the Service ID of the draft's identifier.
    ///
    /// Domains and return URLs are replaced too; the App ID cannot change.
    ///
    /// - Parameter version: the version the change is based on, or nil to replace any version.
    public func update(to draft: ServiceID.Draft, version: Int?, _ change: borrowing Change) async throws -> Update<
        ServiceID
    > {
        try await change.lockTeam()
        guard let current = try await Self.lock(draft.identifier, change) else { return .notFound }
        if let version, version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        guard draft.appID == current.appID else { throw ValidationError.belongsToAppID(current.appID) }
        try await Self.requireRoom(for: draft, over: current.draft, change)
        try await change.query(
            """
            UPDATE service_ids
            SET description = \(draft.settings.description), issuer = \(draft.settings.issuer), booleans = \(draft.settings.booleans),
                requires_pkce = \(draft.settings.requiresPKCE), version = version + 1
            WHERE team_id = \(change.team) AND identifier = \(draft.identifier)
            """)
        try await Self.write(draft, change)
        try await change.record(
            "service_id.updated", .serviceID(draft.identifier), from: current.draft.auditedMembers,
            to: draft.auditedMembers)
        let rows = try await change.query(Self.selection(draft.identifier, change.team))
        return .saved(try rows.only(ServiceID.init))
    }

    /// Deletes the Service ID and the tokens issued to it.
    ///
    /// - Returns: the deleted Service ID, or nil when the team has no such Service ID.
    public func delete(_ identifier: ClientID, reason: String, _ change: borrowing Change) async throws -> ServiceID? {
        guard let current = try await Self.lock(identifier, change) else { return nil }
        try await ClientIdentifierStore.release([identifier], change)
        try await change.record(
            "service_id.deleted", .serviceID(identifier), from: current.draft.auditedMembers, to: .reason(reason))
        return current
    }

    /// One page of the team's Service IDs or of one App ID's, in the order of identifiers.
    public func list(_ query: PageQuery = PageQuery(), of appID: ClientID? = nil, in team: TeamID)
        async throws(PostgresFailure) -> Page<ServiceIDSummary>
    {
        let matching = try await query.condition(
            on: "s.identifier", among: "SELECT identifier, description FROM service_ids WHERE team_id = \(team)",
            in: team, database)
        let rows = try await database.query(Self.listing(query, matching, appID, team), in: team)
        return try Page(rows, limit: query.limit, read: ServiceIDSummary.init) { ListCursor($0.identifier.rawValue) }
    }

    /// Every Service ID of the team, by App ID and rank.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [ServiceID]
    {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM service_ids AS s
            WHERE s.team_id = \(team)
            ORDER BY s.app_id, s.rank
            """)
        return try rows.all(ServiceID.init)
    }

    /// The Service IDs of one App ID, in the order of their ranks.
    public func all(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [ServiceID] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM service_ids AS s
            WHERE s.team_id = \(team) AND s.app_id = \(appID)
            ORDER BY s.rank
            """, in: team)
        return try rows.all(ServiceID.init)
    }

    /// The identifiers of all Service IDs of the team, by App ID and rank.
    public func names(in team: TeamID) async throws(PostgresFailure) -> [ClientID] {
        let names: SQL = "SELECT identifier FROM service_ids WHERE team_id = \(team) ORDER BY app_id, rank"
        return try await database.query(names, in: team).column()
    }

    private static func listing(_ query: PageQuery, _ matching: SQL, _ appID: ClientID?, _ team: TeamID) -> SQL {
        let ofApp: SQL = if let appID { "AND s.app_id = \(appID)" } else { "" }
        let matching: SQL = "s.team_id = \(team) \(ofApp) AND \(matching)"
        let after: SQL = if let after = query.after { "AND s.identifier > \(after.id)" } else { "" }
        return """
            SELECT total.count, page.identifier IS NOT NULL, page.*
            FROM (SELECT count(*) FROM service_ids AS s WHERE \(matching)) AS total
            LEFT JOIN (
                SELECT
                    s.identifier, s.description, s.app_id, a.description AS app_description,
                    (
                        SELECT count(*) FROM service_domains AS d
                        WHERE d.team_id = s.team_id AND d.service_id = s.identifier
                    ) AS domains,
                    (
                        SELECT count(*) FROM return_urls AS u
                        WHERE u.team_id = s.team_id AND u.service_id = s.identifier
                    ) AS return_urls,
                    s.created_at
                FROM service_ids AS s
                JOIN app_ids AS a ON a.team_id = s.team_id AND a.identifier = s.app_id
                WHERE \(matching) \(after)
                ORDER BY s.identifier
                LIMIT \(query.limit + 1)
            ) AS page ON true
            ORDER BY page.identifier
            """
    }

    static let columns: SQL = """
        s.identifier, s.app_id, s.description, s.issuer, s.booleans, s.requires_pkce, s.version, s.created_at,
        ARRAY(
            SELECT d.domain FROM service_domains AS d
            WHERE d.team_id = s.team_id AND d.service_id = s.identifier ORDER BY d.domain
        ),
        ARRAY(
            SELECT u.url FROM return_urls AS u
            WHERE u.team_id = s.team_id AND u.service_id = s.identifier ORDER BY u.rank
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
    static func lock(_ identifier: ClientID, _ change: borrowing Change) async throws(PostgresFailure) -> ServiceID? {
        try await change.query(
            """
            SELECT FROM service_ids WHERE team_id = \(change.team) AND identifier = \(identifier) FOR UPDATE
            """)
        return try await change.query(selection(identifier, change.team)).firstValue(ServiceID.init)
    }

    /// Inserts into the lowest free rank; the team is locked.
    static func insert(_ draft: ServiceID.Draft, _ change: borrowing Change) async throws {
        let others: SQL = "service_ids WHERE team_id = \(change.team) AND app_id = \(draft.appID)"
        let settings = draft.settings
        let added = try await change.query(
            """
            INSERT INTO service_ids (team_id, identifier, app_id, rank, description, issuer, booleans, requires_pkce)
            SELECT \(change.team), \(draft.identifier), \(draft.appID), rank, \(settings.description),
                \(settings.issuer), \(settings.booleans), \(settings.requiresPKCE)
            FROM \(Quota.serviceIDs.freeRank(beside: others))
            """)
        guard added.changed == 1 else { throw ValidationError.limitReached(.serviceIDs, of: draft.appID.rawValue) }
    }

    /// - Parameter current: the saved values of the Service ID; a team beyond its quotas may keep or reduce them.
    /// - Throws: `ValidationError` when the Service IDs of the team, which is locked, would have too many together.
    static func requireRoom(for draft: ServiceID.Draft, over current: ServiceID.Draft?, _ change: borrowing Change)
        async throws
    {
        let others: SQL = "team_id = \(change.team) AND service_id <> \(draft.identifier)"
        let (domains, urls) = (draft.settings.domains.count, draft.settings.returnURLs.count)
        if domains > current?.settings.domains.count ?? 0,
            try await !Quota.teamDomains.hasRoom(for: domains, beside: "service_domains WHERE \(others)", change)
        {
            throw ValidationError.limitReached(.teamDomains, of: change.team.rawValue)
        }
        if urls > current?.settings.returnURLs.count ?? 0,
            try await !Quota.teamReturnURLs.hasRoom(for: urls, beside: "return_urls WHERE \(others)", change)
        {
            throw ValidationError.limitReached(.teamReturnURLs, of: change.team.rawValue)
        }
    }

    /// Replaces domains and return URLs by those of the draft, the URLs in its order.
    static func write(_ draft: ServiceID.Draft, _ change: borrowing Change) async throws(PostgresFailure) {
        let domains = draft.settings.domains.map(\.text)
        let urls = draft.settings.returnURLs.map(\.text)
        try await change.query(
            """
            DELETE FROM service_domains
            WHERE team_id = \(change.team) AND service_id = \(draft.identifier) AND NOT domain = ANY(\(domains))
            """)
        try await change.query(
            """
            INSERT INTO service_domains (team_id, service_id, domain)
            SELECT \(change.team), \(draft.identifier), domain FROM unnest(\(domains)) AS domain
            ON CONFLICT DO NOTHING
            """)
        try await change.query(
            """
            DELETE FROM return_urls WHERE team_id = \(change.team) AND service_id = \(draft.identifier)
            """)
        try await change.query(
            """
            INSERT INTO return_urls (team_id, service_id, rank, url)
            SELECT \(change.team), \(draft.identifier), rank, url
            FROM unnest(\(urls)) WITH ORDINALITY AS given (url, rank)
            """)
    }
}

/// A Service ID as shown in a list, with the number of its domains and return URLs.
public struct ServiceIDSummary: Hashable, Sendable {
    public let identifier: ClientID
    public let description: String
    public let appID: ClientID
    public let appDescription: String
    public let domains: Int
    public let returnURLs: Int
    public let createdAt: Timestamp

    init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        description = try row.next()
        appID = try row.next()
        appDescription = try row.next()
        domains = try row.next()
        returnURLs = try row.next()
        createdAt = try row.next()
    }
}
