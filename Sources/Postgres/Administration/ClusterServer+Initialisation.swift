import Glibc

extension ClusterServer {
    /// Creates the data unless they exist: in another folder first, so that they are complete or absent.
    func initialise() throws(ClusterFailure) {
        if location.version != nil { return }
        guard !File.exists(location.data) else {
            throw .notInitialised(path: location.data, reason: "the folder holds no database")
        }
        guard let binaries = PostgresBinaries.find(searchPath: settings.searchPath) else { throw .binariesMissing }
        try run(["/bin/rm", "-rf", "--", location.unfinished])
        try user.own(location.unfinished)
        try run(user.command([binaries.path("initdb")] + arguments))
        guard unsafe rename(location.unfinished, location.data) == 0 else { throw ClusterFailure(.last(location.data)) }
    }

    /// Arguments of `initdb`; no password is needed, since only the database user and root can enter the socket folder.
    private var arguments: [String] {
        [
            "--pgdata=\(location.unfinished)", "--username=pippin", "--encoding=UTF8", "--locale=C.UTF-8",
            "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ] + (settings.isDurable ? [] : ["--no-sync"])
    }

    private func run(_ command: [String]) throws(ClusterFailure) {
        let outcome: Subprocess.Outcome
        do throws(Subprocess.Failure) {
            outcome = try Subprocess.run(command, limit: settings.startLimit, isInterrupted: settings.isInterrupted)
        } catch {
            if error == .interrupted { throw .interrupted }
            throw .notInitialised(path: location.data, reason: error.description)
        }
        guard outcome.code == 0 else {
            // The signal to stop may have reached `initdb` as well, and ended it first.
            if settings.isInterrupted() { throw .interrupted }
            let lines = outcome.output.split(separator: "\n").map(String.init)
            let reason = lines.first { $0.contains("error: ") || $0.contains("FATAL: ") } ?? lines.last
            throw .notInitialised(path: location.data, reason: reason ?? "exit code \(outcome.code)")
        }
    }
}
