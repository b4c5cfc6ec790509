import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite struct `The log of a private server` {
    /// Larger than `File` reads at once.
    @Test(arguments: [11 << 20, 80 << 20]) func `is emptied once it is large, and its end is kept`(size: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "postgres.log")
        let path = folder.path + "/postgres.log"
        try #require(unsafe truncate(path, off_t(size - 5)) == 0)
        let log = try File.openPrivate(path, O_WRONLY | O_APPEND)
        try #require(unsafe write(log, "last\n", 5) == 5)

        ServerLog.keepSmall(path)

        #expect(try File.read(path).isEmpty)
        let kept = try File.read(path + ".1")
        #expect(kept.count == 10 << 20 && kept.suffix(5) == Array("last\n".utf8)[...])
        try #require(unsafe write(log, "more\n", 5) == 5)
        ServerLog.keepSmall(path)
        #expect(try File.read(path) == Array("more\n".utf8))
        close(log)
    }
}
