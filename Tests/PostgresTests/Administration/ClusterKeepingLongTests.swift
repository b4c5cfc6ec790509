import Glibc
import TestDatabase
import TestSupport
import Testing

@testable import Postgres

@Suite("A cluster that is kept") struct ClusterKeepingLongTests {
    /// How often a server was started so far, as its log tells.
    private func startCount(_ cluster: PrivateCluster) -> Int {
        let log = (try? File.read(cluster.log)) ?? []
        return String(decoding: log, as: UTF8.self).split(separator: "\n").count { $0.contains("starting PostgreSQL") }
    }

    @Test func `a server that was adopted comes back too`() throws {
        let directory = try TestCluster.makeDirectory()
        _ = try PrivateCluster.start(in: directory, .careless) { _ in }
        let cluster = try PrivateCluster.start(in: directory, .careless) { _ in }

        for _ in 0..<2 {
            try directory.killServer()
            _ = try cluster.look { $0 == .started }
        }
        try cluster.stop()

        #expect(directory.postmaster == nil)
    }

    @Test func `S9, V44: a server that cannot be looked at is not taken for dead`() throws {
        let directory = try TestCluster.makeDirectory()
        _ = try PrivateCluster.start(in: directory, .careless) { _ in }
        let cluster = try PrivateCluster.start(in: directory, .careless) { _ in }
        let running = directory.postmaster
        let file = directory.path + "/postgres/postmaster.pid"
        // Reading fails otherwise than for a file that is not there, as without a descriptor.
        try #require(unsafe rename(file, file + ".aside") == 0 && mkdir(file, 0o700) == 0)
        #expect(Postmaster.status(on: directory.path + "/postgres") == .unknown)
        for _ in 0..<20 {
            #expect(cluster.look().isEmpty)
            usleep(1_000)
        }
        try #require(unsafe rmdir(file) == 0 && rename(file + ".aside", file) == 0)

        #expect(cluster.look().isEmpty)
        #expect(running != nil && directory.postmaster == running)
        try cluster.stop()
    }

    @Test func `a server that does not start is tried ever more rarely, and says why`() throws {
        let test = try TestCluster()
        try test.directory.edit("postgres/postgresql.conf", "$ a shared_buffers = plenty")
        try test.directory.killServer()

        // It has died, and is tried at once, after half a second and after another one.
        let seen = look(at: test.cluster, for: 4)
        for case .notStarted(let failure) in seen.map(\.event) {
            #expect(failure.description.contains("contains errors"), "\(failure)")
        }
        #expect(seen[2].end - seen[1].begin >= .milliseconds(500))
        #expect(seen[3].end - seen[2].begin >= .seconds(1))

        try test.directory.edit("postgres/postgresql.conf", "$ d")
        _ = try test.cluster.look { $0 == .started }
        try test.cluster.stop()
    }

    @Test func `a stop ends a server that is only being started, and none is started after it`() throws {
        let test = try TestCluster()
        try test.directory.killServer()
        #expect(test.cluster.look() == [.died])

        try test.cluster.stop(within: .seconds(5))

        #expect(test.directory.postmaster == nil)
        for _ in 0..<20 {
            #expect(test.cluster.look().isEmpty)
            usleep(10_000)
        }
        #expect(test.directory.postmaster == nil)
    }

    @Test func `sessions that outlive their server are told of, and a start follows their end`() throws {
        let test = try TestCluster()
        let session = try AdminConnection(to: test.cluster.conninfo)
        let backend = try #require(
            try session.execute("SELECT pg_backend_pid()", []).first?.first.flatMap { $0.flatMap { pid_t($0) } })
        kill(backend, SIGSTOP)
        var isHalted = true
        // Once: its number may be somebody else's soon.
        defer { if isHalted { kill(backend, SIGKILL) } }
        try test.directory.killServer()

        let seen = look(at: test.cluster, for: 3)

        #expect(seen[0].event == .died)
        for event in seen.dropFirst().map(\.event) {
            guard case .notStarted(let failure) = event else {
                Issue.record("\(event)")
                continue
            }
            #expect(failure.isWaitingForSessions)
        }

        kill(backend, SIGKILL)
        isHalted = false
        _ = try test.cluster.look { $0 == .started }
        try test.cluster.stop()
    }

    @Test func `an upgrade of PostgreSQL's package restarts the server, and is waited for`() throws {
        let folder = try TemporaryFolder()
        try #require(unsafe chmod(folder.path, 0o755) == 0)
        var settings = ClusterSettings.careless
        let installed = try #require(settings.find())
        let programs = "\(folder.path)/\(installed.version)/bin"
        // They find the libraries beside them.
        try sh(
            "mkdir -p '\(programs)' && ln -s '\(installed.folder)/../lib' '\(programs)/../lib'"
                + " && cd '\(installed.folder)' && cp initdb pg_ctl postgres '\(programs)'")
        (settings.packages, settings.searchPath) = (folder.path, "/nowhere")
        let test = try TestCluster(settings)
        let old = try #require(test.directory.postmaster)
        try AdminConnection(to: test.cluster.conninfo).execute("CREATE TABLE teams AS SELECT 'ACMETEAM01' AS id")

        // Its programs are gone for a while: the server that runs goes on, one that dies cannot be started.
        try sh("mv '\(programs)' '\(programs).old'")
        for _ in 0..<5 { #expect(test.cluster.look().isEmpty) }
        #expect(try test.cluster.query("SELECT id FROM teams") == [["ACMETEAM01"]])
        // As dpkg does: each file is written aside and renamed.
        try sh("cp -r '\(programs).old' '\(programs)' && rm -rf '\(programs).old'")
        #expect(test.cluster.look() == [.replaced])
        #expect(try test.cluster.look { $0 == .started } == [.died, .started])
        let new = try #require(test.directory.postmaster)
        #expect(new.process != old.process && !new.isReplaced)
        #expect(test.cluster.look().isEmpty)

        try sh("mv '\(programs)' '\(programs).old'")
        try test.directory.killServer()
        let missing = ClusterEvent.notStarted(
            .versionMissing(installed.version, data: test.directory.path + "/postgres"))
        #expect(try test.cluster.look { $0 == missing }.first == .died)
        try sh("mv '\(programs).old' '\(programs)'")
        _ = try test.cluster.look { $0 == .started }
        #expect(try test.cluster.query("SELECT id FROM teams") == [["ACMETEAM01"]])
        try test.cluster.stop()
    }

    private func sh(_ script: String) throws { try #require(try Subprocess.run(["/bin/sh", "-ec", script]).code == 0) }

    @Test func `a server that somebody else has started between two looks is known for another one`() throws {
        let test = try TestCluster()
        let other = try PrivateCluster.start(in: test.directory, .careless) { _ in }
        try test.directory.killServer()
        _ = try other.look { $0 == .started }

        #expect(test.cluster.look() == [.died, .started])

        #expect(test.cluster.look().isEmpty)
        try other.stop()
        try test.cluster.stop()
    }

    @Test func `whoever has left a cluster to others starts nothing any more`() throws {
        let test = try TestCluster()
        let other = try PrivateCluster.start(in: test.directory, .careless) { _ in }
        try other.stop()
        try test.directory.killServer()

        for _ in 0..<20 {
            #expect(other.look().isEmpty)
            usleep(10_000)
        }

        #expect(test.directory.postmaster == nil)
        _ = try test.cluster.look { $0 == .started }
        try test.cluster.stop()
    }

    @Test func `a use that is given up ends the server, unless somebody else uses it`() throws {
        let directory = try TestCluster.makeDirectory()
        let (first, second) = (ClusterUse(), ClusterUse())
        let cluster = try PrivateCluster.start(in: directory, .careless, use: first) { _ in }
        let other = try PrivateCluster.start(in: directory, .careless, use: second) { _ in }

        first.abandon()
        // The server takes no new session once it was told to end.
        try AdminConnection(to: cluster.conninfo).execute("SELECT 1")

        second.abandon()
        try blockUntil { directory.postmaster == nil }
        withExtendedLifetime((cluster, other)) {}
    }

    @Test func `two who share a cluster start its server once`() throws {
        let test = try TestCluster()
        let other = try PrivateCluster.start(in: test.directory, .careless) { _ in }
        try test.directory.killServer()

        var events: [ClusterEvent] = []
        try blockUntil {
            events += test.cluster.look() + other.look()
            return events.count { $0 == .started } == 2
        }
        for _ in 0..<20 { events += test.cluster.look() + other.look() }
        #expect(events.contains(.died))
        #expect(Set(events.map { "\($0)" }).count == 2, "\(events)")
        // Its lock file comes a moment before its word.
        try blockUntil { startCount(test.cluster) >= 2 }
        #expect(startCount(test.cluster) == 2, "the first time, and once more")
        try other.stop()
        #expect(test.directory.postmaster != nil)
        try test.cluster.stop()
        #expect(test.directory.postmaster == nil)
    }

    private typealias Seen = (event: ClusterEvent, begin: ContinuousClock.Instant, end: ContinuousClock.Instant)

    /// Looks until so many events have come, and notes when the look of each began and ended.
    private func look(at cluster: PrivateCluster, for count: Int) -> [Seen] {
        var seen: [Seen] = []
        while seen.count < count {
            let begin = ContinuousClock.now
            for event in cluster.look() { seen.append((event, begin, .now)) }
            usleep(10_000)
        }
        return seen
    }
}
