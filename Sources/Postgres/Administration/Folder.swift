import Glibc

/// Folders of the file system.
public enum Folder {
    /// The names in a folder, unordered, without `.` and `..`.
    public static func names(in path: String) throws(FileFailure) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last(path) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Creates a folder with exactly these permissions; returns false if the name exists already.
    @discardableResult static func make(_ path: String, mode: mode_t) throws(FileFailure) -> Bool {
        guard unsafe mkdir(path, mode) == 0 else {
            if errno == EEXIST { return false }
            throw .last(path)
        }
        // mkdir applies the umask.
        guard unsafe chmod(path, mode) == 0 else { throw .last(path) }
        return true
    }

    /// Deletes files and folders with all that is in them, as far as that can be done.
    public static func remove(_ paths: [String]) { _ = try? Subprocess.run(["/bin/rm", "-rf", "--"] + paths) }

    /// Opens a folder without following a link.
    static func open(_ path: String) throws(FileFailure) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(path) }
        return descriptor
    }

    /// The absolute path, without links and dots.
    static func absolute(_ path: String) throws(FileFailure) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .last(path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
