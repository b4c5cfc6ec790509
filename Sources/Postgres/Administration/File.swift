import Glibc

/// Small files, read and written as a whole.
public enum File {
    /// Maximum octets of a file to read.
    private static let most = 64 << 20
    /// Maximum octets of a file to read that another user writes.
    private static let mostOfAnother = 64 << 10

    /// Reads the octets of a regular file, from an offset.
    public static func read(_ path: String, from start: Int = 0) throws(FileFailure) -> [UInt8] {
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
    public static func write(_ text: String, to path: String) throws(FileFailure) {
        let descriptor = try openPrivate(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw .last(path) }
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}

/// Why an operation on a file or folder failed.
public struct FileFailure: Error, Equatable {
    let path: String
    let errno: Int32

    /// The system's error message, such as "Permission denied".
    var reason: String { unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)" }

    /// The failure of the last system call.
    static func last(_ path: String) -> FileFailure { FileFailure(path: path, errno: Glibc.errno) }
}

extension FileFailure: CustomStringConvertible { public var description: String { reason } }

/// An advisory lock on a file or folder (flock(2)), which the kernel releases when the process dies.
public final class FileLock: Sendable {
    enum Mode {
        case shared
        case exclusive

        fileprivate var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
    }

    private let descriptor: Int32

    /// Takes ownership of an open descriptor that is close-on-exec; nothing is locked yet.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The lock of a folder that only this user can enter; the folder is made if it is missing.
    public convenience init(folder: String) throws(ClusterFailure) {
        try DatabaseUser(name: "", user: geteuid(), group: getegid()).own(folder)
        let descriptor = try ClusterFailure.mapping { () throws(FileFailure) in try Folder.open(folder) }
        self.init(owning: descriptor)
    }

    /// Takes the lock unless another process holds it.
    public func take() -> Bool { take(.exclusive) }

    /// Takes the lock unless another process holds it; a lock held in the other mode is released for it.
    func take(_ mode: Mode) -> Bool { flock(descriptor, mode.operation | LOCK_NB) == 0 }

    public func release() { flock(descriptor, LOCK_UN) }

    /// The process id that the holder wrote into the file.
    func readHolder() -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return String(validating: buffer.prefix(count), as: UTF8.self).flatMap { Int32($0) }
    }

    /// Writes the id of this process into the file as that of the holder.
    func writeHolder() {
        let text = Array(String(getpid()).utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }
}
