import Postgres
import Synchronization

/// Connections of a database's owner that wait for the next statement of a test: to open one costs more than most
/// statements.
final class KeptConnections: Sendable {
    private final class Kept: Sendable {
        let connection: Mutex<AdminConnection>

        init(_ connection: consuming sending AdminConnection) { self.connection = Mutex(connection) }
    }

    /// Those that nobody uses, by their conninfo; a database that is not here has none kept.
    private let idle = Mutex<[String: [Kept]]>([:])

    /// Keeps connections to this database from now on.
    func keep(_ conninfo: String) { idle.withLock { $0[conninfo] = [] } }

    /// Closes those of this database.
    func forget(_ conninfo: String) { _ = idle.withLock { $0.removeValue(forKey: conninfo) } }

    /// Runs one statement on a connection that nobody else uses meanwhile: it may wait for a lock.
    func execute(_ statement: String, _ values: [String?], in conninfo: String) throws -> [[String?]] {
        while let kept = idle.withLock({ $0[conninfo]?.popLast() }) {
            do { return try execute(statement, values, on: kept, conninfo) } catch AdminFailure.unreachable {
                // The server ended it while it was idle.
            }
        }
        return try execute(statement, values, on: Kept(AdminConnection(to: conninfo)), conninfo)
    }

    private func execute(_ statement: String, _ values: [String?], on kept: Kept, _ conninfo: String) throws
        -> [[String?]]
    {
        let answer = kept.connection.withLock { connection in
            Result<[[String?]], AdminFailure> { () throws(AdminFailure) in try connection.execute(statement, values) }
        }
        if case .failure(.unreachable) = answer { return try answer.get() }
        idle.withLock { $0[conninfo]?.append(kept) }
        return try answer.get()
    }
}
