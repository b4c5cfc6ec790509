internal import CCares
public import EventLoop
internal import Glibc

/// A DNS resolver on one event loop.
///
/// Must be called only by tasks that run on that loop. Responses are not cached, because callers need the current
/// records.
// @unchecked Sendable: accessed on the loop's thread only; c-ares calls back from within calls made there.
@safe public final class Resolver: @unchecked Sendable {
    public struct Options: Sendable {
        /// Name servers as `address:port`; empty for the system's own (resolv.conf(5)).
        public var servers: [String] = []
        /// Time to wait for a server at first; every further try doubles it.
        public var timeout = Duration.seconds(2)
        /// Number of queries to each server.
        public var tries = 3
        /// Time limit of every lookup in place of its own; nil for its own.
        public var deadline: Duration?

        public init() {}
    }

    private let loop: EventLoop
    private let deadline: Duration?
    private var channel: ares_channel?
    private var lookups: [UInt64: Lookup] = [:]
    private var lastID: UInt64 = 0
    private var watches: [Int32: Watch] = [:]
    private var timer: Timer?

    private static let isReady = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS
    /// Creates a resolver for `loop`; must be called on that loop.
    public init(on loop: EventLoop, _ options: Options = Options()) throws(LookupFailure) {
        loop.preconditionCurrent()
        self.loop = loop
        deadline = options.deadline
        guard Self.isReady else { throw .other("c-ares does not start") }
        let status = start(options)
        guard status == ARES_SUCCESS else {
            stop()
            throw LookupFailure(status)
        }
    }

    private func start(_ options: Options) -> Int32 {
        var settings = unsafe ares_options()
        unsafe settings.timeout = Int32(clamping: options.timeout.nanoseconds / 1_000_000)
        unsafe settings.tries = Int32(clamping: max(1, options.tries))
        unsafe settings.sock_state_cb = Self.socketChanged
        unsafe settings.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        // No EDNS, because for its sake c-ares reads all records of an error response; longer responses come over TCP.
        // Set explicitly, because newer versions of c-ares use EDNS if no flags are given.
        unsafe settings.flags = 0
        let chosen = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
        let status = unsafe ares_init_options(&channel, &settings, chosen)
        guard status == ARES_SUCCESS, !options.servers.isEmpty else { return status }
        return unsafe ares_set_servers_ports_csv(channel, options.servers.joined(separator: ","))
    }

    /// The TXT records of a name; empty if it has none.
    ///
    /// Must be called on the resolver's loop. Cancelling the task ends the lookup.
    ///
    /// - Parameter name: absolute name, with or without its trailing dot; the search list is not used.
    public func texts(of name: String, within deadline: Duration = .seconds(10)) async throws(LookupFailure)
        -> [[UInt8]]
    {
        loop.preconditionCurrent()
        guard unsafe channel != nil else { throw .cancelled }
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { throw .malformedName }
        lastID += 1
        let id = lastID
        let outcome: Lookup.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(id, name, self.deadline ?? deadline) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.lookups[id]?.end(with: .failure(.cancelled)) }
        }
        lookups[id] = nil
        return try outcome.get()
    }

    /// Ends all lookups; must be called on the loop before the loop is stopped.
    public func close() {
        loop.preconditionCurrent()
        stop()
    }
}

extension Resolver {
    private func ask(_ id: UInt64, _ name: String, _ deadline: Duration, _ done: @escaping (Lookup.Outcome) -> Void) {
        guard !Task.isCancelled else { return done(.failure(.cancelled)) }
        let lookup = Lookup(done)
        lookups[id] = lookup
        lookup.deadline = loop.schedule(after: deadline) { [weak lookup] in lookup?.end(with: .failure(.deadlinePassed))
        }
        // Retained for c-ares, which always calls back once and may do so before `ares_query` returns.
        let context = unsafe Unmanaged.passRetained(lookup).toOpaque()
        unsafe ares_query(channel, name, Self.internet, Self.txt, Lookup.answered, context)
        rearm()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        guard let channel = unsafe channel else { return }
        unsafe self.channel = nil
        unsafe ares_destroy(channel)
    }

    // RFC 1035 sections 3.2.2 and 3.2.4.
    private static let txt: Int32 = 16
    private static let internet: Int32 = 1
}

// Sockets and timers of c-ares on the loop.
extension Resolver {
    /// Called when c-ares changes the events of a socket, and before it closes a socket, with no events.
    private static let socketChanged: ares_sock_state_cb = { context, socket, reads, writes in
        guard let context = unsafe context else { return }
        let resolver = unsafe Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
        resolver.watch(socket, reads: reads != 0, writes: writes != 0)
    }

    private func watch(_ socket: Int32, reads: Bool, writes: Bool) {
        var interest: EventLoop.Readiness = []
        if reads { interest.insert(.read) }
        if writes { interest.insert(.write) }
        guard !interest.isEmpty else {
            watches.removeValue(forKey: socket)?.cancel()
            return
        }
        if let watch = watches[socket] { return watch.change(to: interest) }
        watches[socket] = try? loop.watch(socket, for: interest) { [weak self] ready in
            let isBroken = !ready.isDisjoint(with: .closed)
            self?.process(
                reading: ready.contains(.read) || isBroken ? socket : ARES_SOCKET_BAD,
                writing: ready.contains(.write) ? socket : ARES_SOCKET_BAD)
        }
    }

    private func process(reading: Int32, writing: Int32) {
        guard unsafe channel != nil else { return }
        unsafe ares_process_fd(channel, reading, writing)
        rearm()
    }

    /// Schedules the next retry or timeout of c-ares.
    private func rearm() {
        timer?.cancel()
        timer = nil
        var pause = timeval()
        guard unsafe channel != nil, unsafe ares_timeout(channel, nil, &pause) != nil else { return }
        let delay = Duration.seconds(pause.tv_sec) + .microseconds(pause.tv_usec)
        timer = loop.schedule(after: delay) { [weak self] in
            self?.process(reading: ARES_SOCKET_BAD, writing: ARES_SOCKET_BAD)
        }
    }
}
