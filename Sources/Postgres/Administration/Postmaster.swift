import Glibc

/// The server process of a data folder, as the file `postmaster.pid` names it.
struct Postmaster: Equatable {
    let process: pid_t
    let socketFolder: String

    /// What can be said of the server of some data.
    enum Standing: Equatable {
        case running(Postmaster)
        case absent
        /// Nothing: there is no descriptor, or no right, to look with. It may well be there.
        case unknown
    }

    /// The server that works on these data now, whoever started it; nil where there is none or it cannot be told.
    static func running(on data: String) -> Postmaster? {
        guard case .running(let postmaster) = standing(on: data) else { return nil }
        return postmaster
    }

    /// Whether a server works on these data now, whoever started it.
    ///
    /// The number in the file may belong to another program by now; the server of these data stands in their folder.
    static func standing(on data: String) -> Standing {
        do throws(FileFailure) {
            guard let postmaster = try named(by: data), postmaster.workingFolder == data else {
                return .absent
            }
            return .running(postmaster)
        } catch {
            return error.errno == ENOENT || error.errno == ENOTDIR ? .absent : .unknown
        }
    }

    /// Makes the lock files of a server that is gone harmless, though its number may belong to another program
    /// (or to the dead server itself, where nobody collects the dead).
    ///
    /// In `postmaster.pid` PostgreSQL also looks for sessions that outlived their server, so the file is changed
    /// rather than deleted: as the database user, to whom the folder belongs.
    static func disown(_ data: String, socketFolder: String, as user: DatabaseUser) {
        guard standing(on: data) == .absent else { return }
        unsafe unlink(socketFolder + "/.s.PGSQL.5432.lock")
        guard let gone = try? named(by: data), kill(gone.process, 0) == 0 else { return }
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
    private static func named(by data: String) throws(FileFailure) -> Postmaster? {
        let file = try File.readOfAnother(data + "/postmaster.pid")
        guard
            let lines = String(validating: file, as: UTF8.self)?.split(
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
