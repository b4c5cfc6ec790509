import Glibc

/// The folder with the data of an installation on this machine.
public struct DataDirectory: Sendable {
    /// Absolute path, without links.
    public let path: String

    /// Creates the folder if it is missing, and rejects one that belongs to another user or that others can change.
    ///
    /// The parent folder must exist, so that a typing error does not create a folder.
    public init(_ path: String) throws(ClusterFailure) {
        guard !path.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw .unusable(path: "the data folder", reason: "its name contains control characters")
        }
        // If this process runs as root, the database runs as another account, which has to enter the folder.
        let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
        self.path = try ClusterFailure.mapping { () throws(FileFailure) in
            try Folder.make(path, mode: mode)
            return try Folder.absolute(path)
        }
        try check()
    }

    /// Whether the folder has the data of a private cluster, or names the place where they are; changes nothing.
    public static func holdsCluster(_ path: String) -> Bool {
        let location = ClusterLocation(home: path)
        return location.version != nil || File.exists(location.mark)
    }

    /// Whether a file can be written in the folder; looks by writing one.
    public var isWritable: Bool {
        let probe = path + "/probe"
        guard (try? File.write("pippin", to: probe)) != nil else { return false }
        return unsafe unlink(probe) == 0
    }

    /// Takes the lock to serve this data folder, which one process holds at a time.
    public func lockForServing() throws(ClusterFailure) -> FileLock {
        let lock = try lock(named: "serve.lock")
        guard lock.take(.exclusive) else { throw .served(path: path, process: lock.readHolder()) }
        lock.writeHolder()
        return lock
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
