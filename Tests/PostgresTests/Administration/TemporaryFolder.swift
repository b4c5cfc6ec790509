import Glibc
import Testing

@testable import Postgres

/// A folder under /tmp that is gone with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/pippin-folder-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = try? Subprocess.run(["/bin/rm", "-rf", path]) }

    func write(_ text: String, to name: String) throws { try File.write(text, to: path + "/" + name) }

    func remove(_ name: String) throws { try #require(unsafe unlink(path + "/" + name) == 0) }
}
