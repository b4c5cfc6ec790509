import Glibc

/// A folder of template files that a test edits; gone with the last reference.
final class TemporaryFolder {
    let path: String

    init() throws {
        var name = Array("/tmp/templates-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&name) != nil else { throw Failure(reason: errno) }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    struct Failure: Error { let reason: Int32 }

    func write(_ text: String, to file: String) throws { try write(bytes: Array(text.utf8), to: file) }

    /// Writes beside the file and renames, as editors do.
    func write(bytes: [UInt8], to file: String) throws {
        if let slash = file.lastIndex(of: "/") { _ = unsafe mkdir(path + "/" + file[..<slash], 0o700) }
        let target = path + "/" + file
        let handle = unsafe open(target + "~", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard handle >= 0 else { throw Failure(reason: errno) }
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(handle, $0.baseAddress, $0.count) }
        close(handle)
        guard count == bytes.count, unsafe rename(target + "~", target) == 0 else { throw Failure(reason: errno) }
    }

    func remove(_ file: String) { _ = unsafe unlink(path + "/" + file) }

    deinit {
        for file in ["page.html", "parts/p.html", "parts/q.html", "note.txt", ".hidden.html", "big.html", "en/a.txt"] {
            remove(file)
        }
        _ = unsafe rmdir(path + "/parts")
        _ = unsafe rmdir(path + "/en")
        _ = unsafe rmdir(path)
    }
}
