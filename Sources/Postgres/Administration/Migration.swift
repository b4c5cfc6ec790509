/// A file of the migrations folder.
public struct Migration: Equatable, Sendable {
    /// Position in the order, from 1.
    public let number: Int
    /// The file's name, `NNNN_subject.sql`.
    public let name: String

    let statements: String

    /// The number in a name like `0001_teams.sql`; nil if the name does not have that format.
    static func number(inName name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.count > 9, bytes[4] == UInt8(ascii: "_"), name.hasSuffix(".sql") else { return nil }
        let isPlain = bytes[5..<bytes.count - 4].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: byte == UInt8(ascii: "_")
            }
        }
        let isNumbered = bytes[..<4].allSatisfy { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
        guard isPlain, isNumbered, let number = Int(name.prefix(4)), number > 0 else { return nil }
        return number
    }

    /// The line of the file, from 1, at which the server reported an error.
    func line(of failure: AdminFailure) -> Int? {
        guard case .refused(_, _, let position?) = failure else { return nil }
        return 1 + statements.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}

/// A row of `pippin_migrations`.
struct AppliedMigration: Equatable {
    let number: Int
    let name: String
    let checksum: String

    /// Creates an applied migration from the columns of `selection`; nil if they are malformed.
    init?(_ row: [String?]) {
        guard row.count == 3, let number = row[0].flatMap({ Int($0) }), let name = row[1], let checksum = row[2] else {
            return nil
        }
        self.number = number
        self.name = name
        self.checksum = checksum
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
    static let selection = "SELECT number, name, checksum FROM pippin_migrations ORDER BY number"
    /// Computes the SHA-256 of a file's text on the server.
    static let checksum = "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')"
    /// Inserts a row; its values are number, name and the file's text.
    static let insertion = """
        INSERT INTO pippin_migrations (number, name, checksum)
        VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
        """
}

/// Reads the files `NNNN_subject.sql` of a folder.
enum MigrationFolder {
    /// The migrations by number; other kinds of files are ignored.
    static func read(_ path: String) throws(MigrationFailure) -> [Migration] {
        var migrations: [Migration] = []
        for name in try names(in: path) {
            guard let number = Migration.number(inName: name) else { throw .misnamed(name) }
            if let last = migrations.last, last.number == number { throw .sameNumber(last.name, name) }
            let statements = try text(of: path + "/" + name)
            migrations.append(Migration(number: number, name: name, statements: statements))
        }
        return migrations
    }

    private static func names(in path: String) throws(MigrationFailure) -> [String] {
        do throws(FileFailure) {
            return try Folder.names(in: path).filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
        } catch { throw .unreadable(path: path, reason: error.reason) }
    }

    private static func text(of path: String) throws(MigrationFailure) -> String {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try File.read(path) } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .unreadable(path: path, reason: "it is not UTF-8 text")
        }
        return text
    }
}
