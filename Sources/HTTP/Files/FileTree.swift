internal import Glibc

/// Reads a folder of small files into memory.
enum FileTree {
    /// The files below `folder` by their relative paths; names that begin with a dot are skipped.
    static func read(_ folder: String) throws(Assets.Failure) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        try read(folder, below: "", into: &files, depth: 8)
        return files
    }

    private static func read(_ folder: String, below path: String, into files: inout [String: [UInt8]], depth: Int)
        throws(Assets.Failure)
    {
        guard depth > 0 else { throw .unreadable(path: folder, errno: ELOOP) }
        for name in try names(in: folder) {
            let full = folder + "/" + name
            guard name.utf8.allSatisfy(PathPattern.isPlain) else { throw .name(path: full) }
            var status = stat()
            guard unsafe stat(full, &status) == 0 else { throw .unreadable(path: full, errno: errno) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try read(full, below: path + name + "/", into: &files, depth: depth - 1)
            } else {
                files[path + name] = try content(of: full)
            }
        }
    }

    private static func names(in folder: String) throws(Assets.Failure) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw .unreadable(path: folder, errno: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func content(of path: String) throws(Assets.Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            guard count > 0 else { throw .unreadable(path: path, errno: errno) }
            content += buffer[..<count]
        }
    }
}
