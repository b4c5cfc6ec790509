import Glibc

/// Location of a private cluster: its data, its log and its socket.
struct ClusterLocation: Sendable {
    /// The folder around the cluster; it belongs to the user of this process, its contents to the database user.
    let home: String
    /// Names of the data and the log in it.
    let dataName = "postgres"
    let logName = "postgres.log"
    var data: String { home + "/" + dataName }
    var log: String { home + "/" + logName }
    /// Work folder of `initdb`, so that `data` is either complete or absent.
    var unfinished: String { home + "/postgres.new" }

    /// Version of PostgreSQL that wrote the data; nil if there are none yet.
    var version: Int? {
        let text = (try? File.readOfAnother(data + "/PG_VERSION")).map { String(decoding: $0, as: UTF8.self) }
        return text.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The folder of the socket; a short one if the socket's path is longer than 107 bytes or has a comma, which
    /// unix(7) and libpq's `host` do not allow.
    var socketFolder: String {
        let inside = home + "/socket"
        let isUsable = inside.utf8.count + "/.s.PGSQL.5432".utf8.count <= 107 && !inside.contains(",")
        return isUsable ? inside : shortSocketFolder
    }

    /// Only root can create files in /run; elsewhere `DatabaseUser.own` rejects a folder of another user.
    var shortSocketFolder: String { (geteuid() == 0 ? "/run" : "/tmp") + "/pippin-" + Self.digest(of: home) }

    /// The data folder itself, or a folder in /var/lib/pippin if the database user cannot enter the data folder.
    ///
    /// The choice is stored in the data folder as a random number, generated once: deleting the folder also abandons
    /// the cluster.
    static func choose(for directory: DataDirectory, _ user: DatabaseUser, report: (String) -> Void)
        throws(ClusterFailure) -> ClusterLocation
    {
        let inside = ClusterLocation(home: directory.path)
        let mark = directory.path + "/cluster-id"
        if !File.exists(mark) {
            if user.canEnter(directory.path) { return inside }
            guard !File.exists(inside.data) else { throw .unreachable(path: inside.data, user: user.name) }
        }
        let outside = try outside(directory, mark: mark)
        report("The user \(user.name) cannot enter \(directory.path): the database lies in \(outside.home).")
        return outside
    }

    private static func outside(_ directory: DataDirectory, mark: String) throws(ClusterFailure) -> ClusterLocation {
        try ClusterFailure.mapping { () throws(FileFailure) in
            if !File.exists(mark) { try File.write(String(UInt64.random(in: .min ... .max), radix: 16), to: mark) }
            let number = String(decoding: try File.read(mark), as: UTF8.self)
            let home = "/var/lib/pippin/" + digest(of: directory.path + "\n" + number)
            try Folder.make("/var/lib/pippin", mode: 0o711)
            // For an administrator: the data folder that this database belongs to.
            if try Folder.make(home, mode: 0o711) { try File.write(directory.path + "\n", to: home + "/belongs-to") }
            return ClusterLocation(home: home)
        }
    }

    /// FNV-1a of 64 bits: enough to distinguish a few folders, and not a secret.
    private static func digest(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// Why the private PostgreSQL is not available; the description is one sentence for the operator.
public enum ClusterFailure: Error, Equatable, Sendable {
    /// No version of PostgreSQL that is new enough is installed.
    case binariesMissing
    /// The data require a version of PostgreSQL that is not installed.
    case versionMissing(Int, data: String)
    /// PostgreSQL refuses to run as root, and the user `postgres` does not exist.
    case userMissing
    /// A file or folder cannot be created, opened or written.
    case unusable(path: String, reason: String)
    /// A folder belongs to another user.
    case foreign(path: String, owner: String)
    /// Other users can change the contents of a folder.
    case exposed(path: String)
    /// The database user can no longer enter the folder that contains the data.
    case unreachable(path: String, user: String)
    /// `initdb` failed.
    case notInitialised(path: String, reason: String)
    /// The server ended while starting.
    case notStarted(reason: String, log: String)
    /// The server runs but does not answer.
    case silent(log: String)
    /// The server did not stop in time.
    case notStopped(process: Int32)
    /// Another process is still starting or stopping the server.
    case busy(path: String)
    /// A server process already serves this data folder.
    case served(path: String, process: Int32?)
    /// A connection to PostgreSQL or a statement failed.
    case database(AdminFailure)
}

extension ClusterFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .binariesMissing: "PostgreSQL 15 or newer was not found; install the package postgresql-15"
        case .versionMissing(let version, let data):
            "\(data) was written by PostgreSQL \(version), which was not found; install the package"
                + " postgresql-\(version)"
        case .userMissing:
            "PostgreSQL does not run as root and there is no user postgres; install the package postgresql-15"
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .foreign(let path, let owner):
            "\(path) belongs to the user \(owner); start as that user or choose another data folder"
        case .exposed(let path): "\(path) can be changed by other users; take their permissions away"
        case .unreachable(let path, let user): "the user \(user) cannot enter \(path), which holds the database"
        case .notInitialised(let path, let reason): "PostgreSQL could not be set up in \(path): \(reason)"
        case .notStarted(let reason, let log): "PostgreSQL did not start: \(reason) (see \(log))"
        case .silent(let log): "PostgreSQL runs and does not answer (see \(log))"
        case .notStopped(let process): "PostgreSQL (process \(process)) did not stop in time"
        case .busy(let path): "another process is still starting or stopping PostgreSQL in \(path)"
        case .served(let path, let process):
            "\(path) is already being served\(process.map { " by process \($0)" } ?? "")"
        case .database(let failure): "PostgreSQL: \(failure)"
        }
    }

    /// Whether sessions of a killed server are still ending, until which PostgreSQL refuses to start.
    var isHeldUp: Bool {
        guard case .notStarted(let reason, _) = self else { return false }
        return reason.contains("pre-existing shared memory block")
    }

    init(_ failure: FileFailure) { self = .unusable(path: failure.path, reason: failure.reason) }

    /// Runs code that accesses files and folders, and converts its failure.
    static func mapping<Result>(_ body: () throws(FileFailure) -> Result) throws(ClusterFailure) -> Result {
        do throws(FileFailure) { return try body() } catch { throw ClusterFailure(error) }
    }
}
