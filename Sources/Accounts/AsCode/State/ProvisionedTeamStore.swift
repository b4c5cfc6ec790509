import Core
import Platform
import Postgres
import Registry

/// A team's own row, in the transaction that applies a file.
enum ProvisionedTeamStore {
    /// Reads a team's settings and locks its row until the transaction ends.
    static func lock(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> RegisteredTeam.State
    {
        let rows = try await transaction.query(
            """
            SELECT coalesce(closed_at, deleted_at) IS NOT NULL, name, mode, identity_sources, second_factor FROM teams
            WHERE team_id = \(team) AND NOT is_system
            FOR NO KEY UPDATE
            """)
        guard var row = rows.first else { return .absent }
        let isDeleted: Bool = try row.next()
        if isDeleted { return .deleted }
        let name: TeamName = try row.next()
        let mode: TeamMode = try row.next()
        let sources: [String] = try row.next()
        let secondFactor: SecondFactor = try row.next()
        let settings = TeamSettings(
            name: name, mode: mode, identitySources: Set(sources.compactMap(IdentitySource.init)),
            secondFactor: secondFactor)
        guard let settings else { throw .unreadable(column: 3, as: "identity sources") }
        return .present(settings)
    }

    static func update(
        _ team: TeamID, from old: TeamSettings, to new: TeamSettings, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(TeamStore.update(team, to: new))
        let event = AuditEvent(
            "team.updated", by: actor, on: AuditEvent.Target("team", team.rawValue), from: origin, before: json(old),
            after: json(new))
        try await event.record(in: team, transaction)
    }

    private static func json(_ settings: TeamSettings) -> JSONValue {
        [
            "name": .string(settings.name.rawValue), "mode": .string(settings.mode.rawValue),
            "identitySources": .array(settings.identitySources.map { .string($0.rawValue) }),
            "secondFactor": .string(settings.secondFactor.rawValue),
        ]
    }
}
