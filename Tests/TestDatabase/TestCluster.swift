// TestDatabase: real PostgreSQL for tests, gone when the tests are.
//
// Owns: throw-away clusters, a migrated template, databases cloned from it.
// Must not know: any store; of tables it knows what tests often ask for.

import Glibc
public import Postgres

/// A private cluster in a folder of its own that outlives the test process by a moment, however it ends.
public final class TestCluster: Sendable {
    public let directory: DataDirectory
    public let cluster: PrivateCluster

    /// Why a cluster could not be made.
    public enum Failure: Error { case system(call: String, errno: Int32) }

    /// Makes and starts it; nothing is written for good unless `settings` say so.
    public init(_ settings: ClusterSettings = .careless) throws {
        directory = try Self.makeDirectory()
        cluster = try PrivateCluster.start(in: directory, settings) { _ in }
    }

    /// Makes an empty data folder: it ends with the process, and so does a server that is started in it.
    public static func makeDirectory() throws -> DataDirectory {
        let folder = try makeFolder()
        try watch(folder)
        return try DataDirectory(folder + "/data")
    }

    /// Where PostgreSQL's account may enter, as it may not the checkout: in memory if several GiB find room, else in /tmp.
    private static let parent: String = {
        var facts = statvfs()
        guard unsafe statvfs("/dev/shm", &facts) == 0 else { return "/tmp" }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) >= 4 << 30 ? "/dev/shm" : "/tmp"
    }()

    private static func makeFolder() throws -> String {
        var template = Array("\(parent)/pippin-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil, unsafe chmod(template, 0o711) == 0 else {
            throw Failure.system(call: "mkdtemp", errno: errno)
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Leaves a process behind that waits for the end of this one, stops the server then, and takes the folder away.
    ///
    /// It reads from a pipe that nobody writes to: the kernel closes it when we end, crashed or not.
    private static func watch(_ folder: String) throws {
        let lock = folder + "/data/postgres/postmaster.pid"
        let script = """
            trap '' INT TERM HUP
            exec >/dev/null 2>&1
            cd /
            read -r nothing
            kill -QUIT "$(head -n 1 \(lock))"
            for attempt in $(seq 100); do
                test -e \(lock) || break
                sleep 0.05
            done
            rm -rf \(folder)
            """
        // Never closed by us. "e": no other program of ours may keep it open.
        guard unsafe popen(script, "we") != nil else { throw Failure.system(call: "popen", errno: errno) }
    }
}

extension ClusterSettings {
    /// Fast, and lost in a crash.
    public static var careless: ClusterSettings {
        var settings = ClusterSettings()
        settings.isDurable = false
        // As many sites as tests run at once have some connections each.
        settings.maxConnections = 600
        return settings
    }
}
