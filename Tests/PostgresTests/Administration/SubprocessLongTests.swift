import TestSupport
import Testing

@testable import Postgres

@Suite("Programs of the system that do not end") struct SubprocessLongTests {
    @Test func `one that takes too long is ended`() {
        #expect(throws: Subprocess.Failure.timedOut(program: "/bin/sleep")) {
            try Subprocess.run(["/bin/sleep", "3600"], limit: .milliseconds(100))
        }
    }

    @Test func `whatever one has started ends with it`() throws {
        let name = "4711.\(UInt32.random(in: 0...UInt32.max))"
        #expect(throws: Subprocess.Failure.timedOut(program: "/bin/sh")) {
            try Subprocess.run(
                ["/bin/sh", "-c", "trap '' TERM; sh -c \"trap '' TERM; sleep \(name); sleep \(name)\" & wait"],
                limit: .milliseconds(500))
        }
        // What was killed may be a moment from its end.
        let search = ["/bin/sh", "-c", "grep -ls '[s]leep.*\(name)' /proc/[0-9]*/cmdline"]
        try blockUntil { try Subprocess.run(search).output.isEmpty }
    }
}
