import Glibc

/// Why a file or a folder could not be used.
struct FileFailure: Error, Equatable {
    let path: String
    let errno: Int32

    /// The system's words, such as "Permission denied".
    var reason: String { unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)" }

    /// The failure of the call just made.
    static func last(_ path: String) -> FileFailure {
        FileFailure(path: path, errno: Glibc.errno)
    }
}

/// Small files, read and written as a whole.
enum File {
    /// Octets of what is small.
    private static let most = 64 << 20
    /// The same where another user writes it.
    private static let mostOfAnother = 64 << 10

    /// A regular file's octets, from a place on.
    static func read(_ path: String, from start: Int = 0) throws(FileFailure) -> [UInt8] {
        try contents(of: path, from: start, most: most)
    }

    /// A file in a folder that is another user's, while we may be root: a link, a pipe, a device or one without end is
    /// not read.
    static func readOfAnother(_ path: String) throws(FileFailure) -> [UInt8] {
        try contents(of: path, O_NOFOLLOW, most: mostOfAnother)
    }

    private static func contents(
        of path: String,
        _ flags: Int32 = 0,
        from start: Int = 0,
        most: Int
    ) throws(FileFailure) -> [UInt8] {
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

    /// Opens or makes a file that only its owner reads, and never one that a link points to.
    static func openPrivate(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        let descriptor = unsafe open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        return descriptor
    }

    /// Replaces the contents of a file that only its owner reads.
    static func write(_ text: String, to path: String) throws(FileFailure) {
        let descriptor = try openPrivate(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw .last(path) }
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    static func isExecutable(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0
    }
}
