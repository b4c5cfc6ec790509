// pippin: configuration, wiring, commands. The only module that reads the environment.

import Core
import EventLoop
import Glibc

@main enum Pippin {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // The supervisor sets SWIFT_BACKTRACE for its workers, without registers; an operator may set it as well.
        if Environment.value("SWIFT_BACKTRACE") == nil { Signals.endSilentlyAtFaults() }
        // Not exit(3): it would free memory of libcrypto that a thread left running at shutdown may still use.
        let status = run(arguments)
        Log.output.wait()
        _exit(status.code)
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        do throws(CommandFailure) { return try Command.parse(arguments).run() } catch {
            for line in error.lines { Terminal.complain(line) }
            return error.status
        }
    }
}
