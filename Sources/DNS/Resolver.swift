internal import CCares
public import EventLoop
internal import Glibc

/// Asks name servers from one event loop.
///
/// It belongs to that loop: tasks that live there call it, and nothing of it is shared. Nothing is kept between
/// questions: whoever asks wants to know how it is now.
// @unchecked Sendable: touched on the loop's thread alone; c-ares calls back from within calls made there.
@safe public final class Resolver: @unchecked Sendable {
    public struct Options: Sendable {
        /// Name servers as `address:port`; empty for the system's (resolv.conf(5)).
        public var servers: [String] = []
        /// How long a server is waited for at first; each further try doubles it.
        public var patience = Duration.seconds(2)
        /// How often each server is asked.
        public var tries = 3

        public init() {}
    }

    private let loop: EventLoop
    private var channel: ares_channel?
    private var lookups: [UInt64: Lookup] = [:]
    private var lastID: UInt64 = 0
    private var watches: [Int32: Watch] = [:]
    private var timer: Timer?

    private static let isReady = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS
    /// What fits into one packet nearly everywhere (DNS flag day 2020).
    private static let packetSize: Int32 = 1232

    /// Makes a resolver for `loop`; to be called there.
    public init(on loop: EventLoop, _ options: Options = Options()) throws(LookupFailure) {
        loop.preconditionCurrent()
        self.loop = loop
        guard Self.isReady else { throw .other("c-ares does not start") }
        let status = start(options)
        guard status == ARES_SUCCESS else {
            stop()
            throw LookupFailure(status)
        }
    }

    private func start(_ options: Options) -> Int32 {
        var settings = unsafe ares_options()
        unsafe settings.flags = ARES_FLAG_EDNS
        unsafe settings.ednspsz = Self.packetSize
        unsafe settings.timeout = Int32(clamping: options.patience.nanoseconds / 1_000_000)
        unsafe settings.tries = Int32(clamping: max(1, options.tries))
        unsafe settings.sock_state_cb = Self.socketChanged
        unsafe settings.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        let chosen =
            ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
        let status = unsafe ares_init_options(&channel, &settings, chosen)
        guard status == ARES_SUCCESS, !options.servers.isEmpty else { return status }
        return unsafe ares_set_servers_ports_csv(channel, options.servers.joined(separator: ","))
    }

    /// The texts of the name's TXT records; empty when it has none.
    ///
    /// To be called on the resolver's loop. Cancelling the task ends the look-up.
    ///
    /// - Parameter name: absolute, with or without its last dot; no search list is tried.
    public func texts(
        of name: String,
        within deadline: Duration = .seconds(10)
    ) async throws(LookupFailure) -> [[UInt8]] {
        loop.preconditionCurrent()
        guard unsafe channel != nil else { throw .cancelled }
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw .malformedName
        }
        lastID += 1
        let id = lastID
        let outcome: Lookup.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(id, name, deadline) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.lookups[id]?.end(with: .failure(.cancelled)) }
        }
        lookups[id] = nil
        return try outcome.get()
    }

    /// Ends every look-up; to be called on the loop, before that is stopped.
    public func close() {
        loop.preconditionCurrent()
        stop()
    }
}

extension Resolver {
    private func ask(
        _ id: UInt64,
        _ name: String,
        _ deadline: Duration,
        _ done: @escaping (Lookup.Outcome) -> Void
    ) {
        guard !Task.isCancelled else { return done(.failure(.cancelled)) }
        let lookup = Lookup(done)
        lookups[id] = lookup
        lookup.deadline = loop.schedule(after: deadline) { [weak lookup] in
            lookup?.end(with: .failure(.deadlinePassed))
        }
        // Retained for c-ares, which calls back once in any case and may do so right here.
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

// What c-ares asks of the loop.
extension Resolver {
    /// Called before a socket is closed, too, with nothing to wait for.
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
                writing: ready.contains(.write) ? socket : ARES_SOCKET_BAD
            )
        }
    }

    private func process(reading: Int32, writing: Int32) {
        guard unsafe channel != nil else { return }
        unsafe ares_process_fd(channel, reading, writing)
        rearm()
    }

    /// Comes back when c-ares wants to try again or give up.
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
