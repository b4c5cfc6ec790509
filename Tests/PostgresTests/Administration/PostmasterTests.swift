import Glibc
import TestSupport
import Testing

@testable import Postgres

/// It lies where the user of the database puts what they like, and root reads it, four times a second.
@Suite struct `The lock file of a server` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.path + "/postmaster.pid" }
    private var status: Postmaster.Status { Postmaster.status(on: folder.path) }

    @Test func `V56: that is a link is not followed`() throws {
        #expect(status == .absent)
        try folder.write("1\n", to: "other")
        try #require(unsafe symlink(folder.path + "/other", file) == 0)
        #expect(status == .unknown)
    }

    @Test(arguments: [("4194300\n/data\n1\n", "2147483647\n/data\n1\n"), ("", nil), ("\0\0\0\0", nil)])
    func `of a dead server, or of a power cut, is made harmless, whatever runs`(left: String, expected: String?) throws
    {
        try folder.write(left, to: "postmaster.pid")

        Postmaster.orphan(
            folder.path, socketFolder: folder.path, as: DatabaseUser(name: "", user: geteuid(), group: getegid()))

        #expect((try? File.read(file)).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test func `V56: that is a pipe is not waited for`() throws {
        try #require(unsafe mkfifo(file, 0o600) == 0)
        // Whoever waited would be let go by this, and take what it says for all there is.
        let writer = try Subprocess.spawn(["/bin/sh", "-c", ": > '\(file)'"])
        defer {
            kill(writer, SIGKILL)
            try? blockUntil { Subprocess.hasEnded(writer) }
        }
        #expect(status == .unknown)
    }

    @Test func `V56: that is without end is not read`() throws {
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && ftruncate(descriptor, 65 << 20) == 0)
        close(descriptor)
        #expect(status == .unknown)
    }
}

@Suite struct `PostgreSQL's programs` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func install(_ version: String, saying words: String = "") throws {
        let made = try Subprocess.run(["/bin/mkdir", "-p", "\(folder.path)/\(version)/bin"])
        try #require(made.code == 0)
        for program in ["initdb", "pg_ctl", "postgres"] {
            try folder.write("#!/bin/sh\necho '\(words)'\n", to: "\(version)/bin/\(program)")
            try #require(unsafe chmod("\(folder.path)/\(version)/bin/\(program)", 0o755) == 0)
        }
    }

    private func find(_ version: Int? = nil, searchPath: String = "/nowhere") -> PostgresBinaries? {
        PostgresBinaries.find(version: version, under: folder.path, searchPath: searchPath)
    }

    @Test func `the newest is taken`() throws {
        for version in ["9.6", "15", "17", "16", "doc"] { try install(version) }
        #expect(find() == PostgresBinaries(version: 17, folder: folder.path + "/17/bin"))
    }

    @Test func `data get the version that wrote them`() throws {
        for version in ["15", "17"] { try install(version) }
        #expect(find(15)?.version == 15)
        #expect(find(16) == nil)
    }

    @Test func `an old one is none`() throws {
        try install("14")
        #expect(find() == nil)
    }

    @Test func `a client's folder without a server is none`() throws {
        try install("16")
        try folder.remove("16/bin/postgres")
        #expect(find() == nil)
    }

    @Test func `the path is searched and asked for the version`() throws {
        try install("old", saying: "postgres (PostgreSQL) 14.2")
        try install("beta", saying: "postgres (PostgreSQL) 18beta1")
        let searchPath = ["old", "beta"].map { "\(folder.path)/\($0)/bin" }.joined(separator: ":")
        #expect(find(searchPath: searchPath) == PostgresBinaries(version: 18, folder: folder.path + "/beta/bin"))
        #expect(find(searchPath: folder.path + "/old/bin") == nil)
    }
}
