import CLinux
import Glibc

/// What a worker has from its supervisor: descriptors, and one variable of the environment that says so.
struct WorkerLink {
    /// What a worker tells its supervisor, an octet each.
    enum Message: UInt8 {
        /// It serves.
        case ready = 0x52
        /// The database did not answer when the worker ended: it need not be waited for.
        case silence = 0x53
    }

    /// Told to a worker: it shall take nothing new and end when it has nothing left, while another one serves.
    static let handOver = SIGUSR1
    /// Its value is the process of the supervisor, the number of loops, and whether this is the first worker.
    static let variable = "PIPPIN_WORKER"
    /// Where a worker finds what it inherits; the listening sockets follow.
    static let control: Int32 = 3
    static let memory: Int32 = 4
    static let firstSocket: Int32 = 5

    /// One for each loop, listening.
    let sockets: [Int32]
    let page: SharedPage
    /// Whether no worker was before: only then what a person needs is printed.
    let isFirst: Bool

    /// What this process inherited; nil where it is no worker.
    ///
    /// From here on it dies with its supervisor.
    static func inherited() throws(CommandFailure) -> WorkerLink? {
        guard let text = Environment.value(variable) else { return nil }
        unsafe unsetenv(variable)
        let numbers = text.split(separator: " ").compactMap { Int32($0) }
        guard numbers.count == 3, numbers[1] > 0, numbers[1] <= 4096 else { throw stranger }
        let sockets = (0..<numbers[1]).map { firstSocket + $0 }
        for descriptor in [control, memory] + sockets {
            // What this process starts must not have them.
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw stranger }
        }
        _ = pippin_die_with_parent()
        _ = pippin_gain_no_rights()
        // Root still has to read what only root may; it gives up all rights with its name.
        if geteuid() != 0 { _ = pippin_drop_capabilities() }
        guard getppid() == numbers[0] else { throw stranger }
        let page = try SharedPage(taking: memory, loops: sockets.count)
        unsafe pippin_name_thread("pippin-worker")
        CrashNote.watch(page)
        return WorkerLink(sockets: sockets, page: page, isFirst: numbers[2] == 1)
    }

    private static var stranger: CommandFailure {
        CommandFailure("\(variable) is set by `pippin serve` for the process that it starts; leave it unset")
    }

    func tell(_ message: Message) {
        var octet = message.rawValue
        _ = unsafe send(Self.control, &octet, 1, Int32(MSG_NOSIGNAL))
    }
}
