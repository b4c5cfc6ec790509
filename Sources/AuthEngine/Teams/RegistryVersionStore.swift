import Domain
import Postgres

/// The versions of the registries that changed within the last minute, and of those that somebody holds.
///
/// A minute, since a change becomes visible when its transaction commits, which may be seconds after its time. One that took
/// longer is seen by who holds the team's registry: its version is asked for whenever it changed.
struct RegistryVersionStore: Sendable {
    let database: SystemDatabase

    func versions(ofChangedAnd held: Set<TeamID>) async throws(PostgresFailure) -> [TeamID: Int] {
        let rows = try await database.query(
            """
            SELECT team_id, version FROM registry_versions
            WHERE changed_at > now() - interval '1 minute' OR team_id = ANY (\(held.map(\.rawValue)))
            """
        )
        var versions: [TeamID: Int] = [:]
        for var row in rows { versions[try row.next()] = try row.next(Int.self) }
        return versions
    }
}
