import CLinux
import Glibc

/// What a worker inherits from its supervisor: file descriptors, and one environment variable that announces them.
struct WorkerLink {
    /// Messages from a worker to its supervisor, one octet each.
    enum Message: UInt8 {
        /// The worker serves.
        case ready = 0x52
        /// The database did not answer when the worker ended, so the supervisor need not wait for it.
        case silence = 0x53
    }

    /// Signal to a worker to accept no more requests and to end after the last one, while another worker serves.
    static let handOver = SIGUSR1
    /// Environment variable: process ID of the supervisor, number of loops, and 1 for the first worker.
    static let variable = "PIPPIN_WORKER"
    /// Descriptors that a worker inherits; the listening sockets follow.
    static let control: Int32 = 3
    static let firstSocket: Int32 = 4
    /// Seconds after which a worker that crashed dies although its backtrace is not complete.
    private static let backtraceLimit: UInt32 = 10

    /// Listening sockets, one for each loop.
    let sockets: [Int32]
    /// Whether this is the first worker, the only one that prints the addresses for the user at the terminal.
    let isFirst: Bool

    /// Inherited descriptors of this process; nil if it is not a worker.
    ///
    /// After this call, the process dies with its supervisor.
    static func inherited() throws(CommandFailure) -> WorkerLink? {
        guard let text = Environment.value(variable) else { return nil }
        unsafe unsetenv(variable)
        let numbers = text.split(separator: " ").compactMap { Int32($0) }
        guard numbers.count == 3, numbers[1] > 0, numbers[1] <= 4096 else { throw stranger }
        let sockets = (0..<numbers[1]).map { firstSocket + $0 }
        for descriptor in [control] + sockets {
            // Processes that the worker starts must not inherit them.
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw stranger }
        }
        _ = pippin_die_with_parent()
        _ = pippin_gain_no_rights()
        // Root must still read files that only root may read; it loses all rights later, with the change of user.
        if geteuid() != 0 { _ = pippin_drop_capabilities() }
        guard getppid() == numbers[0] else { throw stranger }
        unsafe pippin_name_thread("pippin-worker")
        _ = unsafe pippin_signal_stack()
        pippin_bound_backtraces(Self.backtraceLimit)
        return WorkerLink(sockets: sockets, isFirst: numbers[2] == 1)
    }

    private static var stranger: CommandFailure {
        CommandFailure("\(variable) is set by `pippin serve` for the process that it starts; leave it unset")
    }

    func report(_ message: Message) {
        var octet = message.rawValue
        _ = unsafe send(Self.control, &octet, 1, Int32(MSG_NOSIGNAL))
    }
}
