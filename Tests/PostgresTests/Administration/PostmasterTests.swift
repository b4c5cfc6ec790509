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
