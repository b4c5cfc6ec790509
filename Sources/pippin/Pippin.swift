// pippin: configuration, wiring, commands. The only module that reads the environment.

import EventLoop
import Glibc

@main
enum Pippin {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Where it is set, Swift's report of a fault is asked for.
        if Environment.value("SWIFT_BACKTRACE") == nil { Signals.endSilentlyAtFaults() }
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
