import Core

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
        case .database(let failure): "PostgreSQL: \(describing: failure)"
        }
    }

    /// Whether sessions of a killed server are still ending, until which PostgreSQL refuses to start.
    var isWaitingForSessions: Bool {
        guard case .notStarted(let reason, _) = self else { return false }
        return reason.contains("pre-existing shared memory block")
    }

    init(_ failure: FileFailure) { self = .unusable(path: failure.path, reason: failure.reason) }

    /// Runs code that accesses files and folders, and converts its failure.
    static func mapping<Result>(_ body: () throws(FileFailure) -> Result) throws(ClusterFailure) -> Result {
        do throws(FileFailure) { return try body() } catch { throw ClusterFailure(error) }
    }
}
