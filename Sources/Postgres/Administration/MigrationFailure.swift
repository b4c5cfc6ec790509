/// Why migrations were rejected; the description names the file.
public enum MigrationFailure: Error, Equatable, Sendable {
    /// The folder or a file could not be read.
    case unreadable(path: String, reason: String)
    /// A file ends in `.sql` but is not named `NNNN_subject.sql`.
    case misnamed(String)
    /// Two files have the same number.
    case sameNumber(String, String)
    /// A number is missing.
    case gap(before: String)
    /// A file has other contents than when it was applied.
    case changed(String)
    /// A file has another name than when it was applied.
    case renamed(String, appliedAs: String)
    /// The database has an applied migration that the folder lacks.
    case missing(String)
    /// A file to apply precedes one that is already applied.
    case outOfOrder(String, after: String)
    /// PostgreSQL rejected a statement; nothing of the file is applied.
    case refused(name: String, line: Int?, AdminFailure)
    /// A file ends the transaction that it runs in.
    case endsTransaction(String)
    /// A statement of the migrator itself failed.
    case database(AdminFailure)
}

extension MigrationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .misnamed(let name): "migration \(name) is not named like 0001_subject.sql"
        case .sameNumber(let one, let other): "migrations \(one) and \(other) bear the same number"
        case .gap(let name): "migration \(name) does not follow the one before it: a number is missing"
        case .changed(let name): "migration \(name) was changed after it was applied"
        case .renamed(let name, let applied): "migration \(name) was applied under the name \(applied)"
        case .missing(let name):
            "migration \(name) was applied and is not in the folder: it was removed, or this release is older"
                + " than the database"
        case .outOfOrder(let name, let later): "migration \(name) comes before \(later), which was applied already"
        case .refused(let name, let line, let failure):
            "migration \(name)\(line.map { ", line \($0)" } ?? ""): \(failure); nothing of this file was applied"
        case .endsTransaction(let name): "migration \(name) must not end the transaction it runs in"
        case .database(let failure): "migrations: \(failure)"
        }
    }
}
