import Glibc

/// The server process of a data folder, from the file `postmaster.pid`.
struct Postmaster: Equatable {
    let process: pid_t
    let socketFolder: String

    /// Status of the server of a data folder.
    enum Status: Equatable {
        case running(Postmaster)
        case absent
        /// Unknown for lack of a descriptor or permission; a server may be running.
        case unknown
    }

    /// The server that runs on the data folder, whichever process started it; nil if there is none or it is unknown.
    static func running(on data: String) -> Postmaster? {
        guard case .running(let postmaster) = status(on: data) else { return nil }
        return postmaster
    }

    /// Status of the server on the data folder, whichever process started it.
    ///
    /// The process id in the file may belong to another program by now; only the server has the data folder as its
    /// working folder.
    static func status(on data: String) -> Status {
        do throws(FileFailure) {
            guard let postmaster = try named(by: data), postmaster.works(in: data) else { return .absent }
            return .running(postmaster)
        } catch { return error.errno == ENOENT || error.errno == ENOTDIR ? .absent : .unknown }
    }

    /// Makes the lock files of a dead server harmless: its process id may be in use by another program, or by the dead
    /// server itself, which was not reaped; or the next server gets it, in a container, and `pg_ctl` takes the line of the
    /// dead one for its answer.
    ///
    /// PostgreSQL also uses `postmaster.pid` to find sessions that outlived their server, so the file is changed, not
    /// deleted, as the database user, who owns the folder.
    static func orphan(_ data: String, socketFolder: String, as user: DatabaseUser) {
        guard status(on: data) == .absent else { return }
        unsafe unlink(socketFolder + "/.s.PGSQL.5432.lock")
        let file = data + "/postmaster.pid"
        guard File.exists(file) else { return }
        // Both leave a server alone that another process has started meanwhile.
        let edit =
            if let gone = try? named(by: data) {
                ["/usr/bin/sed", "-i", "1s/^\(gone.process)$/\(pid_t.max)/", file]
            } else {
                // Empty or of zeros after a power cut: it knows of no session, and PostgreSQL refuses to start with it.
                ["/bin/sh", "-c", "grep --quiet '^[0-9]' \"$0\" || rm \"$0\"", file]
            }
        _ = try? Subprocess.run(user.command(edit), limit: 10)
    }

    /// Stops the server: a fast shutdown rolls back sessions and writes all data, and this waits for it.
    ///
    /// - Parameter last: time limit for the immediate shutdown that follows when `limit` has passed.
    static func stop(on data: String, limit: Duration, last: Duration) throws(ClusterFailure) {
        guard let postmaster = running(on: data) else { return }
        postmaster.requestShutdown()
        if postmaster.isGone(from: data, until: .now + limit) { return }
        // Immediate shutdown: the next start recovers from the write-ahead log, as after a power cut.
        kill(postmaster.process, SIGQUIT)
        guard postmaster.isGone(from: data, until: .now + last) else { throw .notStopped(process: postmaster.process) }
    }

    /// Requests a fast shutdown.
    func requestShutdown() {
        kill(process, SIGINT)
        // A halted process handles the signal only when it continues.
        kill(process, SIGCONT)
    }

    private func isGone(from data: String, until deadline: ContinuousClock.Instant) -> Bool {
        while works(in: data) {
            guard ContinuousClock.now < deadline else { return false }
            usleep(5_000)
        }
        return true
    }

    /// Reads the lines: process id, data folder, start time, port, socket folder, … (PostgreSQL, miscadmin.h).
    private static func named(by data: String) throws(FileFailure) -> Postmaster? {
        let file = try File.readOfAnother(data + "/postmaster.pid")
        guard
            let lines = String(validating: file, as: UTF8.self)?.split(
                separator: "\n", omittingEmptySubsequences: false), let process = lines.first.flatMap({ pid_t($0) }),
            process > 1
        else { return nil }
        return Postmaster(process: process, socketFolder: lines.count > 4 ? String(lines[4]) : "")
    }

    /// Whether the program that it runs is no longer the one at its path.
    var isReplaced: Bool { link("exe")?.hasSuffix(" (deleted)") == true }

    /// Whether it works in the data folder; in a container root may be unable to see that, but sees its name.
    private func works(in data: String) -> Bool {
        if let folder = link("cwd") { return folder == data }
        guard errno == EACCES, let name = try? File.read("/proc/\(process)/comm") else { return false }
        return String(decoding: name, as: UTF8.self) == "postgres\n"
    }

    /// A link of the process in proc(5); nil, with `errno`, if it has ended or is another user's.
    private func link(_ name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/\(process)/\(name)", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(validating: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
