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

/// An advisory lock on a file or folder (flock(2)), which the kernel releases when the process dies.
public final class FileLock: Sendable {
    enum Mode {
        case shared
        case exclusive

        fileprivate var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
    }

    private let descriptor: Int32

    /// Takes ownership of an open descriptor that is close-on-exec; nothing is locked yet.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Takes the lock unless another process holds it; a lock held in the other mode is released for it.
    func take(_ mode: Mode) -> Bool { flock(descriptor, mode.operation | LOCK_NB) == 0 }

    public func release() { flock(descriptor, LOCK_UN) }

    /// The process id that the holder wrote into the file.
    func readHolder() -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return String(validating: buffer.prefix(count), as: UTF8.self).flatMap { Int32($0) }
    }

    /// Writes the id of this process into the file as that of the holder.
    func writeHolder() {
        let text = Array(String(getpid()).utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }
}

/// The account that PostgreSQL runs as: that of this process, or `postgres` instead of root, which PostgreSQL refuses.
struct DatabaseUser: Sendable {
    let name: String
    let user: uid_t
    let group: gid_t

    static func choose() throws(ClusterFailure) -> DatabaseUser {
        if geteuid() != 0 { return DatabaseUser(name: self.name(of: geteuid()), user: geteuid(), group: getegid()) }
        var buffer = [CChar](repeating: 0, count: 16_384)
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard unsafe getpwnam_r("postgres", &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            throw .userMissing
        }
        return unsafe DatabaseUser(name: "postgres", user: entry.pw_uid, group: entry.pw_gid)
    }

    /// The name of an account, or its number if it has none.
    static func name(of user: uid_t) -> String {
        var buffer = [CChar](repeating: 0, count: 16_384)
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return String(user)
        }
        return unsafe String(cString: entry.pw_name)
    }

    /// The command to run as this account, by default in the root folder because it may be unable to enter the current
    /// one; it is killed when this process ends first.
    ///
    /// `env` and `setpriv` replace themselves by the next program, so the process id stays the same.
    func command(_ command: [String], in folder: String = "/") -> [String] {
        let place = ["/usr/bin/env", "--chdir=\(folder)", "/usr/bin/setpriv", "--pdeathsig=KILL"]
        if user == geteuid() { return place + command }
        let switchUser = ["--reuid=\(user)", "--regid=\(group)", "--init-groups", "--inh-caps=-all", "--no-new-privs"]
        return place + switchUser + command
    }

    /// Whether the account can access the contents of `folder`.
    func canEnter(_ folder: String) -> Bool {
        let test = try? Subprocess.run(command(["/usr/bin/test", "-x", folder]))
        return test?.code == 0
    }

    /// Creates a folder that only this account can enter, or checks that an existing one is such a folder.
    ///
    /// A folder or link that another user has put there is rejected.
    func own(_ folder: String) throws(ClusterFailure) {
        let (isNew, descriptor) = try ClusterFailure.mapping { () throws(FileFailure) in
            (try Folder.make(folder, mode: 0o700), try Folder.open(folder))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw ClusterFailure(.last(folder)) }
        if isNew && status.st_uid == geteuid() && user != geteuid() {
            guard fchown(descriptor, user, group) == 0 else { throw ClusterFailure(.last(folder)) }
            status.st_uid = user
        }
        guard status.st_uid == user else { throw .foreign(path: folder, owner: Self.name(of: status.st_uid)) }
        guard status.st_mode & 0o077 == 0 else { throw .exposed(path: folder) }
    }
}
