import Glibc

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
