import Glibc

/// The server process of a data folder, as the file `postmaster.pid` names it.
struct Postmaster: Equatable {
    let process: pid_t
    let socketFolder: String

    /// The server that works on these data now, whoever started it.
    ///
    /// The number in the file may belong to another program by now; the server of these data stands in their folder.
    static func running(on data: String) -> Postmaster? {
        guard let postmaster = named(by: data), postmaster.workingFolder == data else { return nil }
        return postmaster
    }

    /// Makes the lock files of a server that is gone harmless, though its number may belong to another program
    /// (or to the dead server itself, where nobody collects the dead).
    ///
    /// In `postmaster.pid` PostgreSQL also looks for sessions that outlived their server, so the file is changed
    /// rather than deleted: as the database user, to whom the folder belongs.
    static func disown(_ data: String, socketFolder: String, as user: DatabaseUser) {
        guard running(on: data) == nil else { return }
        unsafe unlink(socketFolder + "/.s.PGSQL.5432.lock")
        guard let gone = named(by: data), kill(gone.process, 0) == 0 else { return }
        let nobody = String(pid_t.max)
        let edit = ["/usr/bin/sed", "-i", "1s/.*/\(nobody)/", data + "/postmaster.pid"]
        _ = try? Subprocess.run(user.command(edit), limit: .seconds(10))
    }

    /// Ends the server: sessions are rolled back and everything is written (fast shutdown), and it waits for that.
    ///
    /// - Parameter last: how long it may take to end at once, when the limit is over.
    static func stop(on data: String, limit: Duration, last: Duration) throws(ClusterFailure) {
        guard let postmaster = running(on: data) else { return }
        postmaster.tellToEnd()
        if postmaster.isGone(from: data, until: .now + limit) { return }
        // Immediate: the next start recovers from the log, as after a power cut.
        kill(postmaster.process, SIGQUIT)
        guard postmaster.isGone(from: data, until: .now + last) else {
            throw .notStopped(process: postmaster.process)
        }
    }

    /// Asks for a fast shutdown.
    func tellToEnd() {
        kill(process, SIGINT)
        // One that was halted hears it only when it goes on.
        kill(process, SIGCONT)
    }

    private func isGone(from data: String, until deadline: ContinuousClock.Instant) -> Bool {
        // A child of ours stays listed until it is asked after.
        while !Subprocess.hasEnded(process) || workingFolder == data {
            guard ContinuousClock.now < deadline else { return false }
            usleep(5_000)
        }
        return true
    }

    /// Lines: process id, data folder, start time, port, socket folder, … (PostgreSQL, miscadmin.h).
    private static func named(by data: String) -> Postmaster? {
        guard
            let lines = File.text(data + "/postmaster.pid")?.split(
                separator: "\n",
                omittingEmptySubsequences: false
            ),
            let process = lines.first.flatMap({ pid_t($0) }), process > 1
        else { return nil }
        return Postmaster(process: process, socketFolder: lines.count > 4 ? String(lines[4]) : "")
    }

    private var workingFolder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/\(process)/cwd", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(validating: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
