import Glibc
import TestDatabase
import Testing

@testable import Postgres

@Suite struct `Private cluster` {
    private func start(_ directory: DataDirectory, _ settings: ClusterSettings = .careless) throws -> PrivateCluster {
        try PrivateCluster.start(in: directory, settings) { Issue.record("unexpected: \($0)") }
    }

    private func postmaster(_ directory: DataDirectory) -> Postmaster? {
        Postmaster.running(on: directory.path + "/postgres")
    }

    private func query(_ cluster: PrivateCluster, _ statement: String) throws -> [[String?]] {
        try AdminConnection(to: cluster.conninfo).execute(statement, [])
    }

    @Test func `keeps what it acknowledged, speaks UTF-8 and listens on no network`() throws {
        let cluster = try start(TestCluster.makeDirectory(), ClusterSettings())
        defer { try? cluster.stop() }
        let names = ["fsync", "synchronous_commit", "listen_addresses", "jit", "max_connections", "server_encoding"]
        let values = try names.map { try query(cluster, "SHOW \($0)")[0][0] }
        #expect(values == ["on", "on", "", "off", "100", "UTF8"])
        let database = try query(
            cluster, "SELECT datname, datcollate, current_user FROM pg_database WHERE datname = current_database()")
        #expect(database == [["pippin", "C.UTF-8", "pippin"]])
    }

    @Test func `keeps the data from one start to the next`() throws {
        let directory = try TestCluster.makeDirectory()
        let first = try start(directory)
        try AdminConnection(to: first.conninfo).execute("CREATE TABLE teams AS SELECT 'ACMETEAM01' AS id")
        try first.stop()
        #expect(postmaster(directory) == nil)

        let second = try start(directory)
        #expect(try query(second, "SELECT id FROM teams") == [["ACMETEAM01"]])
        try second.stop()
    }

    @Test func `is shared, and the last user stops it`() throws {
        let directory = try TestCluster.makeDirectory()
        let first = try start(directory)
        let process = postmaster(directory)
        let second = try start(directory)
        #expect(postmaster(directory) == process)
        try first.stop()
        #expect(try query(second, "SELECT 1") == [["1"]])
        try second.stop()
        #expect(postmaster(directory) == nil)
        #expect(throws: AdminFailure.self) { try query(second, "SELECT 1") }
    }

    @Test func `is started once by those who come together`() async throws {
        let directory = try TestCluster.makeDirectory()
        let clusters = try await withThrowingTaskGroup(of: PrivateCluster.self) { group in
            for _ in 0..<3 { group.addTask { try start(directory) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(clusters.map(\.conninfo)).count == 1)
        for cluster in clusters { try cluster.stop() }
        #expect(postmaster(directory) == nil)
    }

    @Test func `a server whose users are gone is taken over`() throws {
        let directory = try TestCluster.makeDirectory()
        // Without stop(), as after kill -9: the kernel gives the lock back and nothing else happens.
        _ = try start(directory)
        let orphan = try #require(postmaster(directory))
        let cluster = try start(directory)
        #expect(postmaster(directory) == orphan)
        try cluster.stop()
        #expect(postmaster(directory) == nil)
    }

    @Test func `recovers after its server was killed`() throws {
        let directory = try TestCluster.makeDirectory()
        let cluster = try start(directory)
        let process = try #require(postmaster(directory)).process
        kill(process, SIGKILL)
        while postmaster(directory) != nil { usleep(1_000) }
        let next = try start(directory)
        #expect(try #require(postmaster(directory)).process != process)
        #expect(try query(next, "SELECT 1") == [["1"]])
        try cluster.stop()
        try next.stop()
    }

    @Test func `a dead server's number may belong to another program`() throws {
        let directory = try TestCluster.makeDirectory()
        _ = try start(directory)
        kill(try #require(postmaster(directory)).process, SIGKILL)
        while postmaster(directory) != nil { usleep(1_000) }
        let user = try DatabaseUser.choose()
        let innocent = try Subprocess.spawn(user.command(["/bin/sleep", "60"]))
        defer {
            kill(innocent, SIGKILL)
            _ = Subprocess.hasEnded(innocent)
        }
        for lock in ["postgres/postmaster.pid", "socket/.s.PGSQL.5432.lock"] {
            let path = "\(directory.path)/\(lock)"
            let edit = try Subprocess.run(user.command(["/bin/sed", "-i", "1s/.*/\(innocent)/", path]))
            try #require(edit.code == 0)
        }
        let cluster = try start(directory)
        #expect(try query(cluster, "SELECT 1") == [["1"]])
        #expect(kill(innocent, 0) == 0)
        try cluster.stop()
    }

    @Test func `a stop waits for its user, and ends sessions`() throws {
        let directory = try TestCluster.makeDirectory()
        let cluster = try start(directory)
        let idle = try AdminConnection(to: cluster.conninfo)
        try idle.execute("BEGIN")
        try cluster.stop()
        #expect(postmaster(directory) == nil)
        #expect(throws: AdminFailure.self) { try idle.execute("COMMIT") }
        try cluster.stop()
    }

    @Test func `the server has a session of its own, out of reach of Ctrl-C`() throws {
        let directory = try TestCluster.makeDirectory()
        let cluster = try start(directory)
        let process = try #require(postmaster(directory)).process
        #expect(getsid(process) == process)
        #expect(getpgid(process) == process)
        try cluster.stop()
    }

    @Test func `a server that cannot start says why`() throws {
        let directory = try TestCluster.makeDirectory()
        try start(directory).stop()
        let configuration = "\(directory.path)/postgres/postgresql.conf"
        let edit = ["/bin/sed", "-i", "$ a shared_buffers = plenty", configuration]
        try #require(try Subprocess.run(DatabaseUser.choose().command(edit)).code == 0)
        let failure = #expect(throws: ClusterFailure.self) { try start(directory) }
        #expect(failure?.description.contains("configuration file \"\(configuration)\" contains errors") == true)
    }

    @Test func `data of a version that is not installed are told`() throws {
        let directory = try TestCluster.makeDirectory()
        try start(directory).stop()
        let version = directory.path + "/postgres/PG_VERSION"
        let edit = ["/bin/sed", "-i", "s/.*/99/", version]
        try #require(try Subprocess.run(DatabaseUser.choose().command(edit)).code == 0)
        #expect(throws: ClusterFailure.versionMissing(99, data: directory.path + "/postgres")) { try start(directory) }
    }

    @Test func `an unfinished set-up is begun again`() throws {
        let directory = try TestCluster.makeDirectory()
        let left = ["/bin/mkdir", "-p", directory.path + "/postgres.new/base"]
        try #require(try Subprocess.run(left).code == 0)
        let cluster = try start(directory)
        #expect(try query(cluster, "SELECT 1") == [["1"]])
        try cluster.stop()
    }
}
