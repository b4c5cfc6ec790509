import CLinux
import Glibc
import Synchronization

/// Lines for a descriptor that one thread writes to, so that a reader that has stopped blocks no other thread.
///
/// What does not fit into the queue is dropped and counted. The descriptor is inherited, so its flags stay as they are:
/// `O_NONBLOCK` would hold for the shell's terminal as well.
public final class OutputQueue: Sendable {
    private struct State {
        var lines: [[UInt8]] = []
        var octets = 0
        var dropped = 0
        var hasThread = false
        /// Numbers of lines that were put into the queue, and that were written.
        var (accepted, written) = (0, 0)
    }

    private let descriptor: Int32
    private let limit: Int
    private let notice: @Sendable (_ dropped: Int) -> [UInt8]
    private let state = Mutex(State())
    private let semaphore = Semaphore()

    /// - Parameters:
    ///   - limit: octets that may wait.
    ///   - notice: the line that says how many lines were dropped, written in their place.
    public init(_ descriptor: Int32, limit: Int = 1 << 20, notice: @escaping @Sendable (_ dropped: Int) -> [UInt8]) {
        (self.descriptor, self.limit, self.notice) = (descriptor, limit, notice)
    }

    /// Adds a line, or drops it; never waits.
    public func write(_ line: [UInt8]) {
        let isFirst = state.withLock { state in
            guard state.octets + line.count <= limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            state.octets += line.count
            state.accepted += 1
            if !state.hasThread { state.hasThread = start() }
            return state.lines.count == 1
        }
        if isFirst { semaphore.signal() }
    }

    /// Waits until the lines that were added so far are written, for as long as the limit at most.
    public func wait(within limit: Duration = .seconds(3)) {
        let (deadline, accepted) = (ContinuousClock.now + limit, state.withLock { $0.accepted })
        while state.withLock({ $0.written }) < accepted, ContinuousClock.now < deadline { usleep(500) }
    }

    private func start() -> Bool {
        Signals.blockingAll {
            do throws(EventLoop.Failure) {
                try LoopThread.start(name: "output-\(descriptor)") { self.run() }.detach()
                return true
            } catch { return false }
        }
    }

    private func run() {
        while true {
            semaphore.wait()
            let (lines, dropped) = state.withLock { state in
                defer { (state.lines, state.octets, state.dropped) = ([], 0, 0) }
                return (state.lines, state.dropped)
            }
            for line in lines {
                put(line)
                state.withLock { $0.written += 1 }
            }
            if dropped > 0 { put(notice(dropped)) }
        }
    }

    private func put(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&writable, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
