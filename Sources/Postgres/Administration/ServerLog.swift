import Glibc

/// The server's log file, and the length that it had before a start.
struct ServerLog {
    let path: String
    private let begin: Int

    private static let most = 10 << 20
    /// Octets at the end of the log that `lastWords` searches.
    private static let lastPart = 1 << 20

    /// Creates the log for the database user unless it exists, in a folder that the user cannot change.
    ///
    /// A log larger than 10 MiB is renamed to `.1`, in place of the one before it.
    static func prepare(_ path: String, for user: DatabaseUser) throws(FileFailure) -> ServerLog {
        var status = stat()
        if unsafe lstat(path, &status) == 0 && status.st_size > most { unsafe rename(path, path + ".1") }
        let descriptor = try File.openPrivate(path, O_WRONLY)
        defer { close(descriptor) }
        guard fchown(descriptor, user.user, user.group) == 0 else { throw .last(path) }
        return ServerLog(path: path, begin: Int(lseek(descriptor, 0, SEEK_END)))
    }

    /// Why the server ended: its last fatal message since the start, else the last line.
    func lastWords() -> String {
        var status = stat()
        let size = unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
        let text = (try? File.read(path, from: max(begin, size - Self.lastPart))) ?? []
        let lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return lines.reversed().compactMap(Self.complaint).first ?? lines.last ?? "it said nothing"
    }

    private static func complaint(in line: String) -> String? {
        for mark in ["FATAL:  ", "PANIC:  "] {
            let parts = line.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
            // "The database system is starting up" is the reply to clients that connect too early, not a cause.
            if parts.count == 2, !parts[1].hasPrefix("the database system is ") { return String(parts[1]) }
        }
        return nil
    }
}
