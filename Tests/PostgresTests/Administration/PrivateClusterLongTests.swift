import Glibc
import TestDatabase
import Testing

@testable import Postgres

@Suite("Private cluster, at length") struct PrivateClusterLongTests {
    private func start(_ directory: DataDirectory, _ settings: ClusterSettings = .careless) throws -> PrivateCluster {
        try PrivateCluster.start(in: directory, settings) { Issue.record("unexpected: \($0)") }
    }

    @Test func `is started once by those who come together`() async throws {
        let directory = try TestCluster.makeDirectory()
        let clusters = try await withThrowingTaskGroup(of: PrivateCluster.self) { group in
            for _ in 0..<3 { group.addTask { try start(directory) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(clusters.map(\.conninfo)).count == 1)
        for cluster in clusters { try cluster.stop() }
        #expect(directory.postmaster == nil)
    }

    @Test func `a server whose users are gone is taken over`() throws {
        let directory = try TestCluster.makeDirectory()
        // Without stop(), as after kill -9: the kernel gives the lock back and nothing else happens.
        _ = try start(directory)
        let orphan = try #require(directory.postmaster)
        let cluster = try start(directory)
        #expect(directory.postmaster == orphan)
        try cluster.stop()
        #expect(directory.postmaster == nil)
    }

    @Test func `a dead server's number may belong to another program`() throws {
        let directory = try TestCluster.makeDirectory()
        _ = try start(directory)
        try directory.killServer()
        let user = try DatabaseUser.choose()
        let innocent = try Subprocess.spawn(user.command(["/bin/sleep", "36000"]))
        defer {
            kill(innocent, SIGKILL)
            _ = Subprocess.hasEnded(innocent)
        }
        for lock in ["postgres/postmaster.pid", "socket/.s.PGSQL.5432.lock"] {
            try directory.edit(lock, "1s/.*/\(innocent)/")
        }
        let cluster = try start(directory)
        #expect(try cluster.query("SELECT 1") == [["1"]])
        #expect(!Subprocess.hasEnded(innocent))
        try cluster.stop()
    }

    @Test func `a stop waits for its user, and ends sessions`() throws {
        let directory = try TestCluster.makeDirectory()
        let cluster = try start(directory)
        let idle = try AdminConnection(to: cluster.conninfo)
        try idle.execute("BEGIN")
        try cluster.stop()
        #expect(directory.postmaster == nil)
        #expect(throws: AdminFailure.self) { try idle.execute("COMMIT") }
        try cluster.stop()
    }

    @Test func `the server has a session of its own, out of reach of Ctrl-C`() throws {
        let directory = try TestCluster.makeDirectory()
        let cluster = try start(directory)
        let process = try #require(directory.postmaster).process
        #expect(getsid(process) == process)
        #expect(getpgid(process) == process)
        try cluster.stop()
    }

    @Test func `a server that cannot start says why`() throws {
        let directory = try TestCluster.makeDirectory()
        try start(directory).stop()
        let configuration = "\(directory.path)/postgres/postgresql.conf"
        try directory.edit("postgres/postgresql.conf", "$ a shared_buffers = plenty")
        let failure = #expect(throws: ClusterFailure.self) { try start(directory) }
        #expect(failure?.description.contains("configuration file \"\(configuration)\" contains errors") == true)
    }

    @Test func `data of a version that is not installed are told`() throws {
        let directory = try TestCluster.makeDirectory()
        try start(directory).stop()
        try directory.edit("postgres/PG_VERSION", "s/.*/99/")
        #expect(throws: ClusterFailure.versionMissing(99, data: directory.path + "/postgres")) { try start(directory) }
    }

    @Test func `an unfinished set-up is begun again`() throws {
        let directory = try TestCluster.makeDirectory()
        let left = ["/bin/mkdir", "-p", directory.path + "/postgres.new/base"]
        try #require(try Subprocess.run(left).code == 0)
        let cluster = try start(directory)
        #expect(try cluster.query("SELECT 1") == [["1"]])
        try cluster.stop()
    }
}
