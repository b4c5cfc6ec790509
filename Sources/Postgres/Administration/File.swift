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
    static func read(_ path: String) throws(FileFailure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw .last(path) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    /// Text, or nil when the file is absent or not UTF-8.
    static func text(_ path: String) -> String? {
        (try? read(path)).flatMap { String(validating: $0, as: UTF8.self) }
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
