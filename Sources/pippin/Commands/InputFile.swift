import CLinux
import Glibc

/// A file that a command reads in parts, however long it is.
final class InputFile: Sendable {
    private let descriptor: Int32
    /// Size and time of the last change: what is read in parts must be of one file.
    private let state: [Int]

    private init?(_ descriptor: Int32) {
        guard let state = Self.state(of: descriptor) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.state) = (descriptor, state)
    }

    /// Nil for what is no regular file.
    private static func state(of descriptor: Int32) -> [Int]? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return [
            status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec,
        ]
    }

    deinit { close(descriptor) }

    /// A regular file, or for `-` what comes at standard input, which is kept in a file without a name; nil if it cannot
    /// be read.
    static func open(_ path: String) -> InputFile? {
        if path == "-" { return spooled() }
        guard !path.utf8.contains(0) else { return nil }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        return descriptor >= 0 ? InputFile(descriptor) : nil
    }

    private static func spooled() -> InputFile? {
        guard let stream = unsafe tmpfile() else { return nil }
        let descriptor = unsafe dup(fileno(stream))
        unsafe fclose(stream)
        guard descriptor >= 0 else { return nil }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
            if count == 0 { return InputFile(descriptor) }
            if count < 0, errno == EINTR { continue }
            guard count > 0, append(chunk.prefix(count), to: descriptor) else {
                close(descriptor)
                return nil
            }
        }
    }

    private static func append(_ octets: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = octets
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// The octets from an offset on; fewer at the end, and none where the file cannot be read or was changed.
    func octets(from offset: Int, atMost count: Int) -> [UInt8] {
        guard Self.state(of: descriptor) == state else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, unsafe pread(descriptor, buffer.baseAddress, count, offset))
        }
    }
}
