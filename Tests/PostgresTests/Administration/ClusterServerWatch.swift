import Glibc
import TestSupport
import Testing

@testable import Postgres

// What the tests of private clusters see and do beside them.
extension DataDirectory {
    /// The server that runs on it.
    var postmaster: Postmaster? { Postmaster.running(on: path + "/postgres") }

    /// Ends the server as a power cut would, and waits until it is gone.
    func killServer() throws {
        kill(try #require(postmaster).process, SIGKILL)
        try blockUntil { postmaster == nil }
    }

    /// Changes a file of the cluster with sed(1).
    func edit(_ file: String, _ command: String) throws {
        let sed = try DatabaseUser.choose().command(["/bin/sed", "-i", command, path + "/" + file])
        try #require(try Subprocess.run(sed).code == 0)
    }
}

extension PrivateCluster {
    func query(_ statement: String) throws -> [[String?]] { try AdminConnection(to: conninfo).execute(statement, []) }

    /// Looks until something has happened, and tells what happened on the way.
    func look(until isEnough: (ClusterEvent) -> Bool) throws -> [ClusterEvent] {
        var events: [ClusterEvent] = []
        try blockUntil {
            events += look()
            return events.contains(where: isEnough)
        }
        return events
    }

    /// A server that has just started may have to recover first.
    func waitUntilItAccepts() throws { try blockUntil { (try? AdminConnection(to: conninfo)) != nil } }
}
