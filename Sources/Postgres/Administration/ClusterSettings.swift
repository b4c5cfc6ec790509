/// Settings of a private cluster.
public struct ClusterSettings: Sendable {
    /// False allows a crash to lose all data: for tests, whose data are discarded.
    public var isDurable = true
    public var maxConnections = 100
    /// MiB of memory for PostgreSQL's page cache, allocated as needed.
    public var sharedBuffers = 128
    /// How long the server may take to accept connections, including recovery after a crash.
    public var startLimit: Duration = .seconds(60)
    /// How long a fast shutdown may take before an immediate one, which has the effect of a power cut.
    public var stopLimit: Duration = .seconds(30)
    /// How long sessions of a killed server may take to end before the next start counts as failed.
    public var sessionLimit: Duration = .seconds(10)
    /// Whether the caller that waits for the server no longer needs it.
    public var isInterrupted: @Sendable () -> Bool = { false }
    /// Folders to search for PostgreSQL's programs besides Debian's, as in PATH.
    public var searchPath = "/usr/local/bin:/usr/local/pgsql/bin:/usr/bin"

    public init() {}

    /// Arguments of the server, passed at every start, so that a newer release applies its own.
    func arguments(data: String, socketFolder: String) -> [String] {
        let settings = [
            ("listen_addresses", ""), ("port", "5432"),
            ("unix_socket_directories", "\"" + doubled(socketFolder) + "\""),
            ("max_connections", String(maxConnections)), ("shared_buffers", "\(sharedBuffers)MB"), ("jit", "off"),
            ("timezone", "UTC"), ("log_timezone", "UTC"),
            // The detail of a rejected row would write personal data to the log.
            ("log_error_verbosity", "terse"),
        ]
        let careless = [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")]
        return ["-D", data] + (settings + (isDurable ? [] : careless)).flatMap { ["-c", "\($0.0)=\($0.1)"] }
    }

    private func doubled(_ text: String) -> String {
        text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    }
}
