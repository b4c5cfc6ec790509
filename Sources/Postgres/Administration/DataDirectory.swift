import Glibc

/// The folder that holds what an installation keeps on this machine.
public struct DataDirectory: Sendable {
    /// Its absolute path, without links.
    public let path: String

    /// Makes the folder where it is missing (its parent must exist: a typing error should not become a folder), and
    /// refuses one that belongs to somebody else or that others may change.
    public init(_ path: String) throws(ClusterFailure) {
        guard !path.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw .unusable(path: "the data folder", reason: "its name contains control characters")
        }
        // Root's database runs as another account, which has to pass through.
        let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
        self.path = try ClusterFailure.mapping { () throws(FileFailure) in
            try Folder.make(path, mode: mode)
            return try Folder.absolute(path)
        }
        try check()
    }

    /// Takes the right to serve these data, which one process has at a time.
    public func lockForServing() throws(ClusterFailure) -> ServingLock {
        let lock = try lock(named: "serve.lock")
        guard lock.take(.exclusive) else { throw .served(path: path, process: lock.readHolder()) }
        lock.writeHolder()
        return ServingLock(lock)
    }

    func lock(named name: String) throws(ClusterFailure) -> FileLock {
        try ClusterFailure.mapping { () throws(FileFailure) in
            FileLock(owning: try File.openPrivate(path + "/" + name, O_RDWR))
        }
    }

    private func check() throws(ClusterFailure) {
        let descriptor = try ClusterFailure.mapping { () throws(FileFailure) in try Folder.open(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw ClusterFailure(.last(path)) }
        guard status.st_uid == geteuid() else {
            throw .foreign(path: path, owner: DatabaseUser.name(of: status.st_uid))
        }
        guard status.st_mode & 0o002 == 0 else { throw .exposed(path: path) }
    }
}
