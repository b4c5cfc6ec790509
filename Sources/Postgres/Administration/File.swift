import Glibc

/// Why an operation on a file or folder failed.
struct FileFailure: Error, Equatable {
    let path: String
    let errno: Int32

    /// The system's error message, such as "Permission denied".
    var reason: String { unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)" }

    /// The failure of the last system call.
    static func last(_ path: String) -> FileFailure { FileFailure(path: path, errno: Glibc.errno) }
}

/// Small files, read and written as a whole.
enum File {
    /// Maximum octets of a file to read.
    private static let most = 64 << 20
    /// Maximum octets of a file to read that another user writes.
    private static let mostOfAnother = 64 << 10

    /// Reads the octets of a regular file, from an offset.
    static func read(_ path: String, from start: Int = 0) throws(FileFailure) -> [UInt8] {
        try contents(of: path, from: start, most: most)
    }

    /// Reads a file in a folder of another user, possibly as root.
    ///
    /// A link, a pipe, a device, and a file that is too long or has no end are rejected.
    static func readOfAnother(_ path: String) throws(FileFailure) -> [UInt8] {
        try contents(of: path, O_NOFOLLOW, most: mostOfAnother)
    }

    private static func contents(of path: String, _ flags: Int32 = 0, from start: Int = 0, most: Int)
        throws(FileFailure) -> [UInt8]
    {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags)
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(path: path, errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        guard start == 0 || lseek(descriptor, start, SEEK_SET) >= 0 else { throw .last(path) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= most {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw .last(path) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        throw FileFailure(path: path, errno: EFBIG)
    }

    /// Opens or creates a file that only its owner can read, without following a link.
    static func openPrivate(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        let descriptor = unsafe open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        return descriptor
    }

    /// Replaces the contents of a file that only its owner can read.
    static func write(_ text: String, to path: String) throws(FileFailure) {
        let descriptor = try openPrivate(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw .last(path) }
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}

/// Folders of the file system.
enum Folder {
    /// The names in a folder, unordered, without `.` and `..`.
    static func names(in path: String) throws(FileFailure) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last(path) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Creates a folder with exactly these permissions; returns false if the name exists already.
    @discardableResult static func make(_ path: String, mode: mode_t) throws(FileFailure) -> Bool {
        guard unsafe mkdir(path, mode) == 0 else {
            if errno == EEXIST { return false }
            throw .last(path)
        }
        // mkdir applies the umask.
        guard unsafe chmod(path, mode) == 0 else { throw .last(path) }
        return true
    }

    /// Opens a folder without following a link.
    static func open(_ path: String) throws(FileFailure) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(path) }
        return descriptor
    }

    /// The absolute path, without links and dots.
    static func absolute(_ path: String) throws(FileFailure) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .last(path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

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
