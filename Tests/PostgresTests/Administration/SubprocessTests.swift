import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Programs of the system` {
    @Test func `output and exit code come back`() throws {
        let outcome = try Subprocess.run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"])
        #expect(outcome.output == "out\nerr\n")
        #expect(outcome.code == 3)
    }

    @Test func `arguments are passed on as they are`() throws {
        #expect(try Subprocess.run(["/bin/echo", "$HOME", "a  b", "*"]).output == "$HOME a  b *\n")
    }

    @Test func `only path, locale and zone are in the environment`() throws {
        let names = try Subprocess.run(["/usr/bin/env"]).output.split(separator: "\n").map {
            String($0.prefix { $0 != "=" })
        }
        #expect(names == ["PATH", "LC_ALL", "TZ"])
    }

    @Test func `none of our descriptors is passed on`() throws {
        let folder = try TemporaryFolder()
        let lock = FileLock(owning: try File.openPrivate(folder.path + "/lock", O_RDWR))
        let outcome = try Subprocess.run(["/bin/sh", "-c", "readlink /proc/self/fd/*"])
        #expect(lock.take(.exclusive))
        #expect(!outcome.output.contains(folder.path))
    }

    @Test func `no signal stays blocked or ignored`() throws {
        var interrupt = sigset_t()
        unsafe sigemptyset(&interrupt)
        unsafe sigaddset(&interrupt, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &interrupt, nil)
        defer { unsafe pthread_sigmask(SIG_UNBLOCK, &interrupt, nil) }
        let outcome = try Subprocess.run(["/bin/grep", "-hE", "^Sig(Blk|Ign):", "/proc/self/status"])
        // glibc keeps 32 and 33 for itself.
        let masks = outcome.output.split(separator: "\n").map {
            UInt64($0.suffix(16), radix: 16).map { $0 & 0x7FFF_FFFF }
        }
        #expect(masks == [0, 0])
    }

    @Test func `a death by signal is told`() throws {
        #expect(try Subprocess.run(["/bin/sh", "-c", "kill -TERM $$"]).code == 128 + SIGTERM)
    }

    @Test func `one that is halted is killed`() throws {
        #expect(try Subprocess.run(["/bin/sh", "-c", "kill -STOP $$"], limit: 1).code == 128 + SIGKILL)
    }

    @Test func `much output is cut and does not block`() throws {
        let outcome = try Subprocess.run(["/usr/bin/head", "-c", "5000000", "/dev/zero"])
        #expect(outcome.output.utf8.count == 65_536)
        #expect(outcome.code == 0)
    }

    @Test func `a program that is not there is told`() {
        #expect(throws: FileFailure(path: "/nowhere/initdb", errno: ENOENT)) { try Subprocess.run(["/nowhere/initdb"]) }
    }
}
