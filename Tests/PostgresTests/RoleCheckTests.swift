import Postgres
import TestDatabase
import TestSupport
import Testing

/// What a pooler may drop of a connection's beginning: its role, and with that the walls.
@Suite struct `A connection's role` {
    private func answer(_ conninfo: String, role: String?, table: String?) async throws -> (
        name: String?, problem: String
    ) {
        try await withPool(conninfo, { ($0.role, $0.walledTable) = (role, table) }) { database, _ in
            try await waitUntil { database.isReady || database.problem.contains("nothing is served") }
            guard database.isReady else { return (nil, database.problem) }
            return (try await database.query("SELECT current_user::text").value(String.self), "")
        }
    }

    @Test func `V49: binds it, or it is not used`() async throws {
        try await withDatabase { conninfo in
            let sound = try await answer(conninfo, role: "pippin_app", table: "teams")
            #expect(sound.name == "pippin_app")
            // A superuser is never bound.
            let superuser = try await answer(conninfo, role: "pippin", table: "teams")
            #expect(superuser.name == nil)
            #expect(superuser.problem.contains("not under row-level security"))
            // No wall stands there.
            let open = try await answer(conninfo, role: "pippin_app", table: "pippin_migrations")
            #expect(open.name == nil)
        }
    }

    @Test func `V49: is verified at the start`() async throws {
        try await withDatabase { conninfo in
            try DatabaseConfiguration(connection: conninfo, role: "pippin_app", walledTable: "teams").verify()
            #expect(throws: AdminFailure.self) {
                try DatabaseConfiguration(connection: conninfo, role: "pippin", walledTable: "teams").verify()
            }
        }
    }
}
