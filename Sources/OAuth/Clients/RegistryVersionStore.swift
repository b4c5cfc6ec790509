import Platform
import Postgres

/// Reads the versions of registries that changed within the last minute, and of registries held by a cache.
///
/// One minute, because a change becomes visible at the commit of its transaction, possibly seconds after its timestamp.
/// After a longer transaction only caches that hold the registry need the change, and held versions are always read.
struct RegistryVersionStore: Sendable {
    let database: SystemDatabase

    func versions(ofChangedAnd held: Set<TeamID>) async throws(PostgresFailure) -> [TeamID: Int] {
        let rows = try await database.query(
            """
            SELECT team_id, version FROM registry_versions
            WHERE changed_at > now() - interval '1 minute' OR team_id = ANY (\(held.map(\.rawValue)))
            """)
        var versions: [TeamID: Int] = [:]
        for var row in rows { versions[try row.next()] = try row.next(Int.self) }
        return versions
    }
}
