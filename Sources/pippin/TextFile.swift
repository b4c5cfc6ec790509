import Bytes
import Glibc

/// Small files of text.
enum TextFile {
    /// The longest file that is read, in octets.
    static let limit = 1 << 20

    /// The text, or nil when the file cannot be read, is no regular file, is longer than the limit, or not UTF-8.
    ///
    /// Pipes, devices and folders are not waited for.
    static func read(_ path: String) -> String? {
        read(path, unless: { _ in false })
    }

    /// The same, unless the file that was opened is one that shall not be read.
    static func read(_ path: String, unless isRefused: (stat) -> Bool) -> String? {
        guard !path.utf8.contains(0) else { return nil }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, !isRefused(status)
        else { return nil }
        return rest(of: descriptor)
    }

    private static func rest(of descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return String(utf8: bytes) }
            guard count > 0 else { return nil }
            bytes += chunk.prefix(count)
        }
        return nil
    }
}

/// The folder around a registry file, out of which no name in the file leads.
struct RegistryFolder {
    private let path: String?

    /// - Parameter file: the registry file.
    init(around file: String) {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        path = Self.resolved(folder.isEmpty ? "." : folder.joined(separator: "/") + "/")
    }

    /// The text of a file in the folder or below it; nil where a link leads out of it, and where `TextFile` has none.
    func read(_ name: String) -> String? {
        guard let path, let file = Self.resolved(path + "/" + name),
            file.hasPrefix(path == "/" ? "/" : path + "/")
        else { return nil }
        return TextFile.read(file)
    }

    /// The path without links and dots.
    private static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
