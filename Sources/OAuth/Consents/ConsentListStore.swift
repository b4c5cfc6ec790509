public import Platform
public import Postgres

/// Lists the apps that a user shares data with.
public struct ConsentListStore: Sendable {
    /// Most apps in a list, which shows the newest.
    public static let listLimit = 100

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Consents of a user, newest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [GrantedApp] {
        let rows = try await database.query(
            """
            SELECT \(ConsentStore.columns), a.description
            FROM consents c JOIN app_ids a ON a.team_id = c.team_id AND a.identifier = c.app_id
            WHERE c.team_id = \(team) AND c.sub = \(subject)
            ORDER BY c.granted_at DESC, c.app_id
            LIMIT \(Self.listLimit)
            """, in: team)
        var apps: [GrantedApp] = []
        for var row in rows { apps.append(GrantedApp(consent: try Consent(&row), name: try row.next())) }
        return apps
    }
}
