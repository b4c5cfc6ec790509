internal import CMicroHTTPD
public import EventLoop

/// Serves an application on one event loop.
///
/// Several loops listen on one port and share nothing else.
// @unchecked Sendable: what changes after init is touched on the loop's thread alone; libmicrohttpd calls
// back from `run()`, which is called there too.
@safe public final class Server: @unchecked Sendable {
    /// The port it listens on.
    public let port: UInt16

    let loop: EventLoop
    let options: ServerOptions
    let application: Application
    /// Shared by the servers of all loops.
    public let connectionCount: ConnectionCount
    var connections: [Connection] = []
    /// Where connections come in; nil once the server stops.
    var listening: ListeningSocket?
    /// What new connections prove themselves with.
    var credential: TLSCredential?
    /// Whose connection libmicrohttpd is being given.
    var counted: IPAddress?
    /// Requests whose handlers have suspended.
    var underWay = 0
    /// Whose they are, once there are many.
    var shares: WaitingShares
    var bodies: BodyBudget
    var deliveries: DeliveryBudget
    /// Answers so far that hold memory of their own.
    var answerCount = 0
    /// What the count of all loops knows of what is in delivery.
    var toldInDelivery = 0
    var numbering: RequestNumbering
    var isStopping = false
    /// Sweeps since the start: the clock of the time-outs, which costs a request nothing.
    var tick = 0

    /// The next look at the time-outs.
    var sweep: Timer?

    var daemon: Daemon?
    private var watch: Watch?
    private var wantsRun = false
    private var hook: HookLink?

    /// Listens on one port, or on the sockets of `options`, and serves on every one of `loops`, each with the application
    /// made for it.
    ///
    /// Throws `ServerFailure`, when the port is taken above all.
    public static func start(
        _ options: ServerOptions,
        on loops: [EventLoop],
        _ application: (EventLoop) throws -> Application
    ) async throws -> [Server] {
        let applications = try loops.map(application)
        let areGiven = !options.sockets.isEmpty
        precondition(!areGiven || options.sockets.count == loops.count, "a socket for each loop")
        let sockets =
            areGiven
            ? options.sockets : try Listener.open(options.address, options.port, count: loops.count)
        let count = ConnectionCount(options)
        var servers: [Server] = []
        for (index, loop) in loops.enumerated() {
            let (application, socket) = (applications[index], sockets[index])
            servers.append(
                try await loop.run { try Server(application, options, count, on: loop, listening: socket) }
            )
        }
        return servers
    }

    /// Serves one application on every one of `loops`.
    public static func start(
        _ application: Application,
        _ options: ServerOptions,
        on loops: [EventLoop]
    ) async throws -> [Server] {
        try await start(options, on: loops) { _ in application }
    }

    private init(
        _ application: Application,
        _ options: ServerOptions,
        _ connectionCount: ConnectionCount,
        on loop: EventLoop,
        listening socket: Int32
    ) throws(ServerFailure) {
        self.connectionCount = connectionCount
        self.application = application
        self.options = options
        self.loop = loop
        port = Listener.port(of: socket)
        numbering = RequestNumbering(start: .random(in: .min ... .max))
        shares = WaitingShares(places: options.requestsUnderWay)
        bodies = BodyBudget(short: options.shortBodyBudget, long: options.longBodyBudget)
        deliveries = DeliveryBudget(limit: options.deliveryBudget)
        connections.reserveCapacity(64)
        let listening = ListeningSocket(socket)
        if let tls = options.tls {
            credential = TLSCredential(tls)
            guard credential != nil else {
                listening.close()
                throw .cannotStart(withTLS: true)
            }
        }
        self.listening = listening
        try open(listening)
    }

    /// Starts the daemon; from here until `close()` libmicrohttpd holds a reference to the server.
    private func open(_ listening: ListeningSocket) throws(ServerFailure) {
        let context = unsafe Unmanaged.passRetained(self)
        daemon = unsafe Daemon.start(self, context: context.toOpaque())
        guard let descriptor = daemon?.descriptor else {
            unsafe context.release()
            listening.close()
            throw .cannotStart(withTLS: options.tls != nil)
        }
        do throws(EventLoop.Failure) {
            watch = try loop.watch(descriptor, for: .read) { [unowned self] _ in run() }
            try listening.begin(on: loop) { [unowned self] in accept() }
        } catch {
            close()
            guard case .system(_, let errno) = error else { throw .cannotWatch(errno: 0) }
            throw .cannotWatch(errno: errno)
        }
        let link = HookLink(server: self)
        hook = link
        loop.atEndOfTurn(.answers) { link.server?.runIfWanted() }
        scheduleSweep()
    }

    /// Lets libmicrohttpd do what there is to do.
    func run() {
        guard daemon != nil else { return }
        wantsRun = daemon?.run() ?? false
    }

    /// Has the daemon run before the loop sleeps: without it an answer waits for the next event.
    func runSoon() {
        wantsRun = true
    }

    /// The same for what comes about while the daemon itself runs: in another turn, which comes at once.
    func runNextTurn() {
        loop.schedule(after: .zero) { [hook] in hook?.server?.runSoon() }
    }

    private func runIfWanted() {
        guard wantsRun else { return }
        run()
        // What is left is for the next turn, so that one busy connection does not keep the loop.
        if wantsRun { loop.schedule(after: .zero) {} }
    }

    /// Accepts no more connections and closes the listening socket.
    func stopListening() {
        listening?.close()
        listening = nil
    }

    /// Ends the daemon with whatever connections are left; none may be suspended.
    func close() {
        stopListening()
        watch?.cancel()
        watch = nil
        sweep?.cancel()
        hook?.server = nil
        guard daemon != nil else { return }
        daemon = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

/// The way from the loop's hook, which stays for ever, to a server that does not.
///
/// A weak reference would do the same and make every retain of the server, several a request, a slow one.
private final class HookLink {
    var server: Server?

    init(server: Server) {
        self.server = server
    }
}
