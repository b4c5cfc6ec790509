import CLinux
import Core
import Glibc

/// Reader of small text files.
enum TextFile {
    /// Maximum size of a file, in octets.
    static let limit = 1 << 20

    /// The text without a byte order mark, or nil if the file cannot be read, is not a regular file, is longer than the
    /// limit, or is not UTF-8; nil as well if `isRefused` is true for the status of the opened file.
    ///
    /// Does not block on pipes, devices or directories.
    static func read(_ path: String, unless isRefused: (stat) -> Bool = { _ in false }) -> String? {
        octets(path, unless: isRefused).flatMap { String(utf8: ByteOrderMark.removed(from: $0)) }
    }

    /// The octets of the file, whatever they are; nil as in `read`.
    static func octets(_ path: String, unless isRefused: (stat) -> Bool = { _ in false }) -> [UInt8]? {
        guard !path.utf8.contains(0) else { return nil }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, !isRefused(status) else {
            return nil
        }
        return rest(of: descriptor)
    }

    private static func rest(of descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return bytes }
            guard count > 0 else { return nil }
            bytes += chunk.prefix(count)
        }
        return nil
    }
}
