// pippin: configuration, wiring, commands. The only module that reads the environment.

import EventLoop
import Glibc

@main
enum Pippin {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        Malloc.settle()
        // Not exit(3): a thread that a stop has left to its call may be in libcrypto, whose memory that would free.
        _exit(run(arguments).code)
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        do throws(CommandFailure) {
            return try Command.parse(arguments).run()
        } catch {
            for line in error.lines { Terminal.complain(line) }
            return error.status
        }
    }
}

/// How a command ended, as shells see it.
struct ExitStatus: Sendable {
    let code: Int32

    static let success = ExitStatus(code: 0)
    static let refused = ExitStatus(code: 1)
    /// `apply --dry-run` found something to change.
    static let wouldChange = ExitStatus(code: 2)
    static let usage = ExitStatus(code: 64)
}

/// Why a command could not do its work: one clear line for each reason.
struct CommandFailure: Error, Sendable {
    let lines: [String]
    let status: ExitStatus

    init(_ lines: [String], status: ExitStatus = .refused) {
        self.lines = lines
        self.status = status
    }

    init(_ line: String, status: ExitStatus = .refused) {
        self.init([line], status: status)
    }
}
