import Core

/// A file of the migrations folder.
public struct Migration: Equatable, Sendable {
    /// Position in the order, from 1.
    public let number: Int
    /// The file's name, `NNNN_subject.sql` or `NNNN_subject.concurrent.sql`.
    public let name: String
    /// Number of the oldest last migration whose release runs on the schema that this one leaves.
    public let runsWith: Int
    /// Whether the release that brings it cannot serve before it is applied.
    public let isNeededNow: Bool

    let statements: String
    /// The index of a file that ends in `.concurrent.sql`.
    let index: ConcurrentIndex?
    static let concurrent = ".concurrent.sql"

    /// Reads the lines `-- runs-with: NNNN` and `-- needed: now|later`; without them no other release runs with it.
    init(number: Int, name: String, statements: String) {
        (self.number, self.name, self.statements) = (number, name, statements)
        let lines = statements.split(separator: "\n", maxSplits: 2).prefix(2)
        func value(_ key: String) -> Substring? { lines.first { $0.hasPrefix(key) }?.dropFirst(key.count) }
        runsWith = value("-- runs-with: ").flatMap { Int($0) } ?? number
        isNeededNow = value("-- needed: ") != "later"
        index = name.hasSuffix(Self.concurrent) ? ConcurrentIndex(statements) : nil
    }

    /// The number in a name like `0001_teams.sql`; nil if the name does not have that format.
    static func number(inName name: String) -> Int? {
        if name.hasSuffix(concurrent) { return number(inName: name.dropLast(concurrent.count) + ".sql") }
        let bytes = Array(name.utf8)
        guard bytes.count > 9, bytes[4] == UInt8(ascii: "_"), name.hasSuffix(".sql") else { return nil }
        let isPlain = bytes[5..<bytes.count - 4].allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_")
        }
        let isNumbered = bytes[..<4].allSatisfy(\.isASCIIDigit)
        guard isPlain, isNumbered, let number = Int(name.prefix(4)), number > 0 else { return nil }
        return number
    }

    /// The line of the file, from 1, at which the server reported an error.
    func line(of failure: AdminFailure) -> Int? {
        guard index == nil, case .refused(_, _, let position?) = failure else { return nil }
        return 1 + statements.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}

/// A row of `pippin_migrations`.
struct AppliedMigration: Equatable {
    let number: Int
    let name: String
    let checksum: String
    let runsWith: Int

    /// Creates an applied migration from the columns of `selection`; nil if they are malformed.
    init?(_ row: [String?]) {
        guard row.count == 4, let number = row[0].flatMap({ Int($0) }), let name = row[1], let checksum = row[2] else {
            return nil
        }
        (self.number, self.name, self.checksum) = (number, name, checksum)
        runsWith = row[3].flatMap { Int($0) } ?? number
    }

    static let table = """
        CREATE TABLE IF NOT EXISTS pippin_migrations (
            number integer PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
    static let presence = "SELECT to_regclass('pippin_migrations') IS NOT NULL"
    /// As JSON, since the table has `runs_with` from the fourth migration on.
    static let selection = """
        SELECT number, name, checksum, to_jsonb(m) ->> 'runs_with' FROM pippin_migrations AS m ORDER BY number
        """
    /// Computes the SHA-256 of a file's text on the server.
    static let checksum = "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')"
    /// Inserts a row, into those columns that the table has; its values are number, name, the file's text and its first lines'.
    static let insertion = """
        INSERT INTO pippin_migrations
        SELECT * FROM jsonb_populate_record(NULL::pippin_migrations, jsonb_build_object(
            'number', $1::integer, 'name', $2::text, 'checksum', encode(sha256(convert_to($3, 'UTF8')), 'hex'),
            'applied_at', now(), 'runs_with', $4::integer, 'needed', $5::text))
        """
}

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
    /// The database has a migration of a newer release, and runs with releases from a later one than this.
    case newer(String, runsWith: Int, own: String)
    /// A file to apply precedes one that is already applied.
    case outOfOrder(String, after: String)
    /// PostgreSQL rejected a statement; nothing of the file is applied.
    case refused(name: String, line: Int?, AdminFailure)
    /// A file of an index has something else.
    case notAnIndex(String)
    /// A file ends the transaction that it runs in.
    case endsTransaction(String)
    /// Policies or grants are not those that the last migration left; names the first difference.
    case otherShape(String)
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
        case .changed(let name): "migration \(name) was changed after it was applied: put the release's file back"
        case .renamed(let name, let applied):
            "the database was made by other migrations (\(applied), where this release has \(name)) and cannot be"
                + " upgraded: use the release that made it, or an empty database"
        case .missing(let name): "migration \(name) was applied and is not in the folder: put the release's file back"
        case .newer(let name, let runsWith, let own):
            "the database has migration \(name) and needs a release that has migration \(runsWith); the last one of this"
                + " release is \(own)"
        case .outOfOrder(let name, let later): "migration \(name) comes before \(later), which was applied already"
        case .refused(let name, let line, let failure):
            "migration \(name)\(line.map { ", line \($0)" } ?? ""): \(describing: failure); nothing of this file was applied"
        case .notAnIndex(let name):
            "migration \(name) is not one CREATE INDEX CONCURRENTLY IF NOT EXISTS name ON table …"
        case .endsTransaction(let name): "migration \(name) must not end the transaction it runs in"
        case .otherShape(let fault): fault
        case .database(let failure): "migrations: \(describing: failure)"
        }
    }
}
