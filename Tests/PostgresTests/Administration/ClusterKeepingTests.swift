import Glibc
import TestDatabase
import Testing

@testable import Postgres

@Suite struct `A cluster that is kept` {
    private func postmaster(_ directory: DataDirectory) -> Postmaster? {
        Postmaster.running(on: directory.path + "/postgres")
    }

    /// Ends the server as a power cut would, and waits until it is gone.
    private func killServer(_ directory: DataDirectory) throws {
        kill(try #require(postmaster(directory)).process, SIGKILL)
        while postmaster(directory) != nil { usleep(1_000) }
    }

    /// Looks until something has happened, and tells what happened on the way.
    private func look(
        at cluster: PrivateCluster,
        until isEnough: (ClusterEvent) -> Bool
    ) throws -> [ClusterEvent] {
        let deadline = ContinuousClock.now + .seconds(20)
        var events: [ClusterEvent] = []
        while !events.contains(where: isEnough) {
            try #require(ContinuousClock.now < deadline, "only \(events) happened")
            events += cluster.look()
            usleep(10_000)
        }
        return events
    }

    /// A server that has just started may have to recover first.
    private func waitUntilItAccepts(_ cluster: PrivateCluster) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while (try? AdminConnection(to: cluster.conninfo)) == nil {
            try #require(ContinuousClock.now < deadline)
            usleep(10_000)
        }
    }

    @Test func `comes back after its server was killed, with what it had acknowledged`() throws {
        let test = try TestCluster(ClusterSettings())
        let first = try #require(postmaster(test.directory)).process
        try AdminConnection(to: test.cluster.conninfo).execute(
            "CREATE TABLE teams AS SELECT 'ACMETEAM01' AS id"
        )
        #expect(test.cluster.look().isEmpty)

        try killServer(test.directory)
        let events = try look(at: test.cluster) { $0 == .started }

        #expect(events == [.died, .started])
        try waitUntilItAccepts(test.cluster)
        let teams = try AdminConnection(to: test.cluster.conninfo).execute("SELECT id FROM teams", [])
        #expect(teams == [["ACMETEAM01"]])
        #expect(postmaster(test.directory)?.process != first)
        try test.cluster.stop()
        #expect(postmaster(test.directory) == nil)
    }

    @Test func `a server that was adopted comes back too, and no process stays unburied`() throws {
        let directory = try TestCluster.makeDirectory()
        _ = try PrivateCluster.start(in: directory, .careless) { _ in }
        let cluster = try PrivateCluster.start(in: directory, .careless) { _ in }

        for _ in 0..<2 {
            try killServer(directory)
            _ = try look(at: cluster) { $0 == .started }
        }
        try cluster.stop()

        #expect(postmaster(directory) == nil)
    }

    @Test func `a server that does not start is tried ever more rarely, and says why`() throws {
        let test = try TestCluster()
        let settings = "\(test.directory.path)/postgres/postgresql.conf"
        func edit(_ command: String) throws {
            let sed = try DatabaseUser.choose().command(["/bin/sed", "-i", command, settings])
            try #require(try Subprocess.run(sed).code == 0)
        }
        try edit("$ a shared_buffers = plenty")
        try killServer(test.directory)

        var failures = 0
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(3) {
            for case .notStarted(let failure) in test.cluster.look() {
                failures += 1
                #expect(failure.description.contains("contains errors"), "\(failure)")
            }
            usleep(10_000)
        }
        // At once, and after a half, one and two seconds.
        #expect((2...4).contains(failures), "\(failures)")

        try edit("$ d")
        _ = try look(at: test.cluster) { $0 == .started }
        try test.cluster.stop()
    }

    @Test func `a stop ends a server that is only being started, and none is started after it`() throws {
        let test = try TestCluster()
        try killServer(test.directory)
        while postmaster(test.directory) == nil, test.cluster.look() == [.died] { continue }
        _ = test.cluster.look()

        try test.cluster.stop(within: .seconds(5))

        #expect(postmaster(test.directory) == nil)
        for _ in 0..<20 {
            #expect(test.cluster.look().isEmpty)
            usleep(10_000)
        }
        #expect(postmaster(test.directory) == nil)
    }

    @Test func `a start that nobody waits for any more leaves no server behind`() throws {
        let directory = try TestCluster.makeDirectory()
        var settings = ClusterSettings.careless
        settings.isInterrupted = { true }

        #expect(throws: ClusterFailure.interrupted) {
            try PrivateCluster.start(in: directory, settings) { _ in }
        }

        #expect(postmaster(directory) == nil)
        try PrivateCluster.start(in: directory, .careless) { _ in }.stop()
    }

    @Test func `two who share a cluster start its server once`() throws {
        let test = try TestCluster()
        let other = try PrivateCluster.start(in: test.directory, .careless) { _ in }
        try killServer(test.directory)

        var events: [ClusterEvent] = []
        for _ in 0..<100 {
            events += test.cluster.look() + other.look()
            usleep(10_000)
        }

        #expect(events.contains(.died))
        #expect(events.contains(.started))
        #expect(Set(events.map { "\($0)" }).count == 2, "nobody was refused: \(events)")
        try other.stop()
        #expect(postmaster(test.directory) != nil)
        try test.cluster.stop()
        #expect(postmaster(test.directory) == nil)
    }
}
