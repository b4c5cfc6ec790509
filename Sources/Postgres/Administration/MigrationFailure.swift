/// Why the migrations were refused; the description names the file.
public enum MigrationFailure: Error, Equatable, Sendable {
    /// The folder or a file could not be read.
    case unreadable(path: String, reason: String)
    /// A file ends in `.sql` and is not called `NNNN_subject.sql`.
    case misnamed(String)
    /// Two files bear one number.
    case sameNumber(String, String)
    /// A number is skipped.
    case gap(before: String)
    /// A file was applied before with other contents.
    case changed(String)
    /// A file was applied before under another name.
    case renamed(String, appliedAs: String)
    /// The database holds a migration that the folder lacks.
    case missing(String)
    /// A file comes before one that was applied already.
    case outOfOrder(String, after: String)
    /// PostgreSQL refused a statement; nothing of the file remains.
    case refused(name: String, line: Int?, AdminFailure)
    /// A file ends the transaction it runs in.
    case endsTransaction(String)
    /// The database did not answer.
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
        case .outOfOrder(let name, let later):
            "migration \(name) comes before \(later), which was applied already"
        case .refused(let name, let line, let failure):
            "migration \(name)\(line.map { ", line \($0)" } ?? ""): \(failure); nothing of this file was applied"
        case .endsTransaction(let name): "migration \(name) must not end the transaction it runs in"
        case .database(let failure): "migrations: \(failure)"
        }
    }
}
