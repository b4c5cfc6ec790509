import Glibc

/// A folder under /tmp that is gone with the last reference to it.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/pippin-folder-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(reason: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = try? shell("rm -r \(path)") }

    public struct Failure: Error { public let reason: Int32 }

    public func write(_ text: String, to file: String) throws { try write(bytes: Array(text.utf8), to: file) }

    /// Writes beside the file and renames, as editors do; in a folder that is made, if need be.
    public func write(bytes: [UInt8], to file: String) throws {
        if let slash = file.lastIndex(of: "/") { _ = unsafe mkdir(path + "/" + file[..<slash], 0o700) }
        let target = path + "/" + file
        let handle = unsafe open(target + "~", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard handle >= 0 else { throw Failure(reason: errno) }
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(handle, $0.baseAddress, $0.count) }
        close(handle)
        guard count == bytes.count, unsafe rename(target + "~", target) == 0 else { throw Failure(reason: errno) }
    }

    public func remove(_ file: String) throws {
        guard unsafe unlink(path + "/" + file) == 0 else { throw Failure(reason: errno) }
    }
}
