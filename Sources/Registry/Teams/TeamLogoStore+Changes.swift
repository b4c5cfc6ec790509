import Core
public import Platform
public import Postgres

// Changing the logo of a team, which has at most one.
extension TeamLogoStore {
    /// Returns the digest of the team's logo, or nil when it has none.
    public func digest(of team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query("SELECT digest FROM team_logos WHERE team_id = \(team)", in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Sets the team's logo, which replaces an earlier one.
    public func set(_ logo: LogoFile, of team: TeamID, by actor: Actor, from origin: Origin)
        async throws(PostgresFailure)
    {
        let event = AuditEvent(
            "team.logo_set", by: actor, on: .team(team), from: origin,
            after: ["mediaType": .string(logo.mediaType), "sha256": .string(logo.digest)])
        let statement: SQL = """
            WITH logo AS (
                INSERT INTO team_logos (team_id, digest, media_type, octets)
                VALUES (\(team), \(logo.digest), \(logo.mediaType), \(logo.octets))
                ON CONFLICT (team_id) DO UPDATE SET
                    digest = excluded.digest, media_type = excluded.media_type, octets = excluded.octets
                RETURNING team_id
            ), audit AS (\(event.insertion(in: team, when: "FROM logo")))
            SELECT FROM logo
            """
        try await database.query(statement.locking(.team(team)), in: team)
    }

    /// Removes the team's logo.
    ///
    /// - Returns: false when it has none.
    public func remove(of team: TeamID, by actor: Actor, from origin: Origin) async throws(PostgresFailure) -> Bool {
        let event = AuditEvent("team.logo_removed", by: actor, on: .team(team), from: origin)
        let statement: SQL = """
            WITH gone AS (DELETE FROM team_logos WHERE team_id = \(team) RETURNING team_id),
                audit AS (\(event.insertion(in: team, when: "FROM gone")))
            SELECT team_id FROM gone
            """
        return try await !database.query(statement.locking(.team(team)), in: team).isEmpty
    }
}
