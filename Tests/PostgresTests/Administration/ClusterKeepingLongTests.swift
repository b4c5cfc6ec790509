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

    @Test func `a server that was adopted comes back too, and no process stays unburied`() throws {
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
        while test.directory.postmaster == nil, test.cluster.look() == [.died] { continue }
        _ = test.cluster.look()

        try test.cluster.stop(within: .seconds(5))

        #expect(test.directory.postmaster == nil)
        for _ in 0..<20 {
            #expect(test.cluster.look().isEmpty)
            usleep(10_000)
        }
        #expect(test.directory.postmaster == nil)
    }

    @Test func `a start that nobody waits for any more leaves no server behind`() throws {
        let directory = try TestCluster.makeDirectory()
        var settings = ClusterSettings.careless
        settings.isInterrupted = { true }

        #expect(throws: ClusterFailure.interrupted) { try PrivateCluster.start(in: directory, settings) { _ in } }

        #expect(directory.postmaster == nil)
        try PrivateCluster.start(in: directory, .careless) { _ in }.stop()
    }

    @Test func `sessions that outlive their server are waited for, then told of, and a start follows their end`() throws
    {
        var settings = ClusterSettings.careless
        settings.sessionLimit = .seconds(1)
        let test = try TestCluster(settings)
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
            #expect(failure.isHeldUp)
        }
        #expect(seen[1].end - seen[0].begin >= .seconds(1), "they were waited for")
        #expect(seen[2].end - seen[1].begin >= .milliseconds(500))

        kill(backend, SIGKILL)
        isHalted = false
        _ = try test.cluster.look { $0 == .started }
        try test.cluster.stop()
    }

    @Test func `a server that somebody else has started between two looks is known for another one`() throws {
        let test = try TestCluster()
        let other = try PrivateCluster.start(in: test.directory, .careless) { _ in }
        let first = try #require(test.directory.postmaster).process
        try test.directory.killServer()
        _ = try other.look { $0 == .started }

        #expect(test.cluster.look() == [.died, .started])

        #expect(test.cluster.look().isEmpty)
        #expect(kill(first, 0) == -1, "it is buried")
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

    @Test(arguments: [1, 4, 8, 16, 32]) func `a first start that is given up leaves nothing that goes on setting up`(
        questions: Int
    ) throws {
        let directory = try TestCluster.makeDirectory()
        let asked = Count()
        var settings = ClusterSettings.careless
        settings.isInterrupted = {
            asked.increment()
            return asked.value >= questions
        }

        let cluster = try? PrivateCluster.start(in: directory, settings) { _ in }

        // Whoever writes there works in the folder, or names it.
        let search =
            "grep -ls '[p]gdata=\(directory.path)' /proc/[0-9]*/cmdline; ls -l /proc/[0-9]*/cwd 2>&1 | grep '\(directory.path)/'"
        if cluster == nil {
            // What was killed may be a moment from its end, and goes on with nothing.
            try blockUntil { try Subprocess.run(["/bin/sh", "-c", search]).output.isEmpty }
        }
        try cluster?.stop()
        try PrivateCluster.start(in: directory, .careless) { _ in }.stop()
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
