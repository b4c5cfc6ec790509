import Postgres
import TestSupport

/// A statement that takes until the test lets it end: `text`, sent by a pool to the server at `conninfo`.
struct HeldStatement {
    /// Looks for the sign again and again.
    static let text: SQL = """
        DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM sign) LOOP PERFORM pg_sleep(0.02); END LOOP;
        END $$
        """

    private let conninfo: String

    init(at conninfo: String) throws {
        self.conninfo = conninfo
        try AdminConnection(to: conninfo).execute("CREATE TABLE sign ()")
    }

    private static let others = """
        FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DO %'
        """

    /// Waits until the server has begun with it.
    func isUnderWay() async throws {
        let looker = try AdminConnection(to: conninfo)
        try await waitUntil { try !looker.execute("SELECT \(Self.others) AND state = 'active'", []).isEmpty }
    }

    /// Lets it end.
    func end() throws { try AdminConnection(to: conninfo).execute("INSERT INTO sign DEFAULT VALUES") }

    /// Ends the connection that it is on.
    func kill() throws {
        _ = try AdminConnection(to: conninfo).execute("SELECT pg_terminate_backend(pid) \(Self.others)", [])
    }

    /// Ends it as the server does when its time is over.
    func cancel() throws {
        _ = try AdminConnection(to: conninfo).execute("SELECT pg_cancel_backend(pid) \(Self.others)", [])
    }

    /// Has the next one take until the test lets it end, too.
    func holdAgain() throws { try AdminConnection(to: conninfo).execute("DELETE FROM sign") }
}
