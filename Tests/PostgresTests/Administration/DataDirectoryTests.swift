import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Data folder` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func location(_ directory: DataDirectory) throws -> ClusterLocation {
        try ClusterLocation.choose(for: directory, DatabaseUser.choose()) { _ in }
    }

    @Test func `is made, and served by one process at a time`() throws {
        let directory = try DataDirectory(folder.path + "/data")
        let lock = try directory.lockForServing()
        let failure = ClusterFailure.served(path: directory.path, process: getpid())
        #expect(throws: failure) { try directory.lockForServing() }
        #expect(failure.description == "\(directory.path) is already being served by process \(getpid())")
        lock.release()
        try directory.lockForServing().release()
    }

    @Test func `is known by its absolute path`() throws {
        try #require(unsafe symlink(folder.path, folder.path + "/link") == 0)
        let directory = try DataDirectory(folder.path + "/link/./data/")
        #expect(directory.path == folder.path + "/data")
    }

    @Test func `in a folder that is missing is refused`() {
        let path = folder.path + "/missing/data"
        #expect(throws: ClusterFailure.unusable(path: path, reason: "No such file or directory")) {
            _ = try DataDirectory(path)
        }
    }

    @Test func `that is a file is refused`() throws {
        try folder.write("", to: "file")
        #expect(throws: ClusterFailure.self) { _ = try DataDirectory(folder.path + "/file") }
    }

    @Test func `that everybody may change is refused`() throws {
        let directory = try DataDirectory(folder.path + "/data")
        try #require(unsafe chmod(directory.path, 0o777) == 0)
        #expect(throws: ClusterFailure.exposed(path: directory.path)) { _ = try DataDirectory(directory.path) }
    }

    @Test(.enabled(if: geteuid() == 0)) func `that belongs to another user is refused`() throws {
        let directory = try DataDirectory(folder.path + "/data")
        try #require(unsafe chown(directory.path, 1, 1) == 0)
        #expect(throws: ClusterFailure.foreign(path: directory.path, owner: DatabaseUser.name(of: 1))) {
            _ = try DataDirectory(directory.path)
        }
    }

    @Test func `a link planted in the place of a private folder is not followed`() throws {
        let target = try TemporaryFolder()
        try #require(unsafe symlink(target.path, folder.path + "/socket") == 0)
        #expect(throws: ClusterFailure.self) { try DatabaseUser.choose().own(folder.path + "/socket") }
        var status = stat()
        try #require(unsafe stat(target.path, &status) == 0)
        #expect(status.st_uid == geteuid())
    }

    @Test func `a private folder that others may enter is refused`() throws {
        let user = try DatabaseUser.choose()
        let socket = folder.path + "/socket"
        try user.own(socket)
        try user.own(socket)
        try #require(unsafe chmod(socket, 0o750) == 0)
        #expect(throws: ClusterFailure.exposed(path: socket)) { try user.own(socket) }
    }

    @Test func `a long path or one with a comma gets a short socket`() throws {
        let long = ClusterLocation(home: "/srv/" + String(repeating: "a", count: 90))
        let comma = ClusterLocation(home: "/srv/a,b")
        for location in [long, comma] {
            #expect(location.socketFolder == location.shortSocketFolder)
            #expect((location.socketFolder + "/.s.PGSQL.5432").utf8.count <= 107)
        }
        #expect(long.socketFolder != comma.socketFolder)
        #expect(ClusterLocation(home: "/srv/pippin").socketFolder == "/srv/pippin/socket")
    }

    @Test(.enabled(if: geteuid() == 0)) func `that PostgreSQL's user can enter holds the cluster`() throws {
        try #require(unsafe chmod(folder.path, 0o711) == 0)
        let directory = try DataDirectory(folder.path + "/data")
        #expect(try location(directory).home == directory.path)
    }

    @Test(.enabled(if: geteuid() == 0)) func `that PostgreSQL's user cannot enter has it elsewhere`() throws {
        let directory = try DataDirectory(folder.path + "/data")
        var lines: [String] = []
        let first = try ClusterLocation.choose(for: directory, DatabaseUser.choose()) { lines.append($0) }
        defer { _ = try? Subprocess.run(["/bin/rm", "-rf", first.home]) }
        #expect(first.home.hasPrefix("/var/lib/pippin/"))
        #expect(lines == ["The user postgres cannot enter \(directory.path): the database lies in \(first.home)."])
        #expect(try location(directory).home == first.home)

        // Once chosen it stays, even when the way is opened: the data are there.
        try #require(unsafe chmod(folder.path, 0o711) == 0)
        #expect(try location(directory).home == first.home)
    }

    @Test(.enabled(if: geteuid() == 0)) func `thrown away and made again, it has a new cluster`() throws {
        let path = folder.path + "/data"
        let first = try location(DataDirectory(path))
        defer { _ = try? Subprocess.run(["/bin/rm", "-rf", first.home]) }
        try #require(try Subprocess.run(["/bin/rm", "-rf", path]).code == 0)
        let second = try location(DataDirectory(path))
        defer { _ = try? Subprocess.run(["/bin/rm", "-rf", second.home]) }
        #expect(first.home != second.home)
    }
}
