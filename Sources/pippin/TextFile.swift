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

/// Directory of a registry file, to which the file names in the registry file are confined.
struct RegistryFolder {
    private let path: String?

    /// - Parameter file: the registry file.
    init(around file: String) {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        path = Self.resolved(folder.isEmpty ? "." : folder.joined(separator: "/") + "/")
    }

    /// The text of a file in or below the directory; nil if the path leaves it or `TextFile` cannot read the file.
    func read(_ name: String) -> String? {
        guard let path, let file = Self.resolved(path + "/" + name), file.hasPrefix(path == "/" ? "/" : path + "/")
        else { return nil }
        return TextFile.read(file)
    }

    /// The absolute path without symbolic links and dots; nil if it does not exist.
    private static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// Output for the person at the terminal.
///
/// Names of users, members and files come from outside, so control characters in them are never printed.
enum Terminal {
    /// Prints one line to standard output.
    static func say(_ line: String) { write(PrintableText.line(line) + "\n", to: 1) }

    /// Prints one of Pippin's own texts, with its line breaks, to standard output.
    static func page(_ text: String) { write(PrintableText.page(text.hasSuffix("\n") ? text : text + "\n"), to: 1) }

    /// Writes octets to standard output: unchanged to a file or pipe, without control characters to a terminal.
    static func pass(_ bytes: [UInt8]) {
        guard isatty(1) == 1 else { return write(bytes, to: 1) }
        write(PrintableText.page(String(decoding: bytes, as: UTF8.self)), to: 1)
    }

    /// Prints one line to standard error.
    static func complain(_ line: String) { write("pippin: \(PrintableText.line(line))\n", to: 2) }

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
