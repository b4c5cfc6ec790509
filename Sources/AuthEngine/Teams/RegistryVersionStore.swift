import Domain
import Postgres

/// The versions of the registries that changed within the last minute.
///
/// A minute, since a change becomes visible when its transaction commits, which may be seconds after its time.
struct RegistryVersionStore: Sendable {
    let database: SystemDatabase

    func recentVersions() async throws(PostgresFailure) -> [TeamID: Int] {
        let rows = try await database.query(
            """
            SELECT team_id, version FROM registry_versions WHERE changed_at > now() - interval '1 minute'
            """
        )
        var versions: [TeamID: Int] = [:]
        for var row in rows { versions[try row.next()] = try row.next(Int.self) }
        return versions
    }
}
