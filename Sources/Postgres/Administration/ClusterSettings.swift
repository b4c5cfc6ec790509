/// How a private cluster runs.
public struct ClusterSettings: Sendable {
    /// False lets a crash lose everything: for tests, whose data are thrown away.
    public var isDurable = true
    public var maxConnections = 100
    /// MiB of memory that PostgreSQL keeps pages in, taken as it is needed.
    public var sharedBuffers = 128
    /// How long the server may take to accept connections, recovery after a crash included.
    public var startLimit: Duration = .seconds(60)
    /// How long a fast shutdown may take before the server is stopped the way a power cut would.
    public var stopLimit: Duration = .seconds(30)
    /// How long sessions of a server that was killed may take to end before the next start counts as failed.
    public var sessionLimit: Duration = .seconds(10)
    /// Whether whoever waits for the server wants it no more.
    public var isInterrupted: @Sendable () -> Bool = { false }
    /// Where to look for PostgreSQL's programs besides Debian's folders, as in PATH.
    public var searchPath = "/usr/local/bin:/usr/local/pgsql/bin:/usr/bin"

    public init() {}

    /// The server's arguments: given at every start, so that a newer release brings its own.
    func arguments(data: String, socketFolder: String) -> [String] {
        let settings = [
            ("listen_addresses", ""),
            ("port", "5432"),
            ("unix_socket_directories", "\"" + doubled(socketFolder) + "\""),
            ("max_connections", String(maxConnections)),
            ("shared_buffers", "\(sharedBuffers)MB"),
            ("jit", "off"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            // The detail of a refused row would put personal data into the log.
            ("log_error_verbosity", "terse"),
        ]
        let careless = [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")]
        return ["-D", data] + (settings + (isDurable ? [] : careless)).flatMap { ["-c", "\($0.0)=\($0.1)"] }
    }

    private func doubled(_ text: String) -> String {
        text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    }
}
