import Core
import Synchronization

/// The servers that a connection string names, and which of them last answered as one that can be written to.
///
/// All connections of a process share it, so that they use the same server.
public final class DatabaseServers: Sendable {
    /// What else the connection string says.
    let parameters: ConnectionParameters
    /// In the order of the connection string; never empty.
    let all: [DatabaseServer]
    private let latest = Mutex<(server: DatabaseServer, start: Timestamp)?>(nil)
    /// Whether a pooler was met at the start that leaves a session to one client.
    static let poolerKeepsSessions = Atomic(false)

    /// - Parameter connection: a libpq connection string or URL in which `problem` finds none.
    public init(_ connection: String) {
        let parameters = ConnectionParameters(connection) ?? ConnectionParameters()
        func list(_ name: String) -> [String] {
            (parameters[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        self.parameters = parameters
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        all = (0..<max(1, hosts.count, addresses.count)).map { index in
            let address = index < addresses.count && !addresses[index].isEmpty ? addresses[index] : nil
            // One port counts for all hosts.
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return DatabaseServer(
                host: index < hosts.count ? hosts[index] : "", address: address, port: port.isEmpty ? nil : port)
        }
    }

    /// Whether there may be more than one: a name may have several addresses.
    var hasSeveral: Bool { all.count > 1 || all.contains(where: \.isName) }

    /// The server that last answered as one that can be written to; nil before the first.
    var current: DatabaseServer? { latest.withLock { $0?.server } }

    /// When that server started, by which it is known at whatever address; nil before the first answer.
    var currentStart: Timestamp? { latest.withLock { $0?.start } }

    /// Records that a server answered and can be written to.
    func note(_ server: DatabaseServer, startedAt start: Timestamp) { latest.withLock { $0 = (server, start) } }

    /// The servers in the order in which a new connection tries them: the current one's host first.
    var inTurn: [DatabaseServer] {
        let first = all.firstIndex { $0 == current } ?? all.firstIndex { $0.isName(of: current) }
        guard let first else { return all }
        return Array(all[first...] + all[..<first])
    }

    /// What keeps a connection string from being used, as the end of a sentence; nil if nothing does.
    public static func problem(of connection: String) -> String? {
        // The text is not repeated, because it may contain a password.
        guard let parameters = ConnectionParameters(connection) else {
            return "is not a connection string of PostgreSQL: a URL, or NAME=VALUE NAME=VALUE"
        }
        if parameters.isService { return "names a service: write its hosts, or set PGSERVICE" }
        guard let wanted = parameters["target_session_attrs"], !["any", "read-write", "primary"].contains(wanted) else {
            return nil
        }
        return "says target_session_attrs=\(wanted): leave it out, because Pippin needs a server that it can write to"
    }
}
