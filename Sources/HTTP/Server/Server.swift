internal import CMicroHTTPD
public import EventLoop
internal import Glibc

/// An HTTP server for an application on one event loop.
///
/// The servers of several loops share one port and the count of what is in flight, nothing else.
// @unchecked Sendable: state that changes after init is used on the loop's thread only; libmicrohttpd calls back from
// `run()`, which runs there too.
@safe public final class Server: @unchecked Sendable {
    /// The port it listens on.
    public let port: UInt16

    let loop: EventLoop
    let options: ServerOptions
    let application: Application
    /// Connections and requests in flight, counted for the servers of all loops together.
    public let inFlight: InFlight
    var connections: [Connection] = []
    /// The listening socket; nil once the server stops.
    var listening: ListeningSocket?
    /// TLS certificate and key for new connections; nil without TLS.
    var credential: TLSCredential?
    /// Peer of the connection being added to libmicrohttpd, until libmicrohttpd reports its start.
    var counted: IPAddress?
    /// Nil before the daemon has started and after it has stopped.
    private(set) var requests: IncomingRequests?
    let deliveries: DeliveryBudget
    var isStopping = false
    /// Whether each response closes its connection, so that clients go elsewhere for the next one.
    private var isDraining = false
    /// Sweeps since the start: the clock of the timeouts, which costs a request nothing.
    var tick = 0

    /// Timer of the next sweep.
    var sweep: Timer?

    var daemon: Daemon?
    private var watch: Watch?
    private var wantsRun = false
    private var hook: HookLink?

    /// Listens on one port, or on the sockets of `options`, and serves on each of `loops` the application made for it.
    ///
    /// Throws `ServerFailure`, most often because the port is in use.
    public static func start(
        _ options: ServerOptions, on loops: [EventLoop], _ application: (EventLoop) throws -> Application
    ) async throws -> [Server] {
        let applications = try loops.map(application)
        let areGiven = !options.sockets.isEmpty
        precondition(!areGiven || options.sockets.count == loops.count, "a socket for each loop")
        let sockets = areGiven ? options.sockets : try Listener.open(options.address, options.port, count: loops.count)
        let inFlight = InFlight(options)
        var servers: [Server] = []
        for (index, loop) in loops.enumerated() {
            let (application, socket) = (applications[index], sockets[index])
            servers.append(
                try await loop.run { try Server(application, options, inFlight, on: loop, listening: socket) })
        }
        return servers
    }

    /// Serves one application on each of `loops`.
    public static func start(_ application: Application, _ options: ServerOptions, on loops: [EventLoop]) async throws
        -> [Server]
    { try await start(options, on: loops) { _ in application } }

    private init(
        _ application: Application, _ options: ServerOptions, _ inFlight: InFlight, on loop: EventLoop,
        listening socket: Int32
    ) throws(ServerFailure) {
        self.inFlight = inFlight
        self.application = application
        self.options = options
        self.loop = loop
        port = Listener.port(of: socket)
        deliveries = DeliveryBudget(options.deliveryBudget, reportingTo: inFlight)
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
        requests = IncomingRequests(of: self)
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

    /// Runs the daemon once, and records whether work is left.
    func run() {
        guard daemon != nil else { return }
        wantsRun = daemon?.run() ?? false
    }

    /// Schedules a run of the daemon before the loop sleeps, so that a response does not wait for the next event.
    func runSoon() { wantsRun = true }

    /// Schedules a run of the daemon in the loop's next turn, at once, for changes made while the daemon itself runs.
    func runNextTurn() { loop.schedule(after: .zero) { [hook] in hook?.server?.runSoon() } }

    private func runIfWanted() {
        guard wantsRun else { return }
        run()
        // The remaining work waits for the next turn, so that one busy connection does not block the loop.
        if wantsRun { loop.schedule(after: .zero) {} }
    }

    /// Accepts no more connections and closes the listening socket.
    func stopListening() {
        listening?.close()
        listening = nil
    }

    /// Stops the daemon and closes the connections that are left; none may be suspended.
    func close() {
        stopListening()
        watch?.cancel()
        watch = nil
        sweep?.cancel()
        hook?.server = nil
        guard daemon != nil else { return }
        daemon = nil
        requests = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

/// Link from the loop's hook, which is never removed, to a server, which is released.
///
/// A weak reference would also work, but would slow down every retain of the server, several per request.
private final class HookLink {
    var server: Server?

    init(server: Server) { self.server = server }
}

// Shutdown.
extension Server {
    /// Closes each connection with its next response from now on, and still accepts new ones.
    ///
    /// Call it on the server's loop.
    public func drain() { isDraining = true }

    /// Stops serving: accepts no more connections, lets current requests finish, and closes every connection.
    ///
    /// Idle connections are closed after `idle`, or with the response to a request that arrives before. After
    /// `timeout`, requests without a response get 503 and streamed bodies that are not finished are cut off. Call it on
    /// the server's loop, before the loop is stopped.
    public func stop(within timeout: Duration, idle: Duration = .zero) async {
        loop.preconditionCurrent()
        guard !isStopping else { return }
        isStopping = true
        // Connections that wait in the kernel are accepted first, because closing the socket would reset them.
        accept(limit: Int(SOMAXCONN))
        run()
        stopListening()
        await drain(for: idle)
        for connection in connections where connection.phase == .head { connection.abort() }
        await drain(for: timeout)
        for connection in connections {
            answerEarly(connection, .overloaded)
            connection.delivery?.cut()
        }
        run()
        await drain(for: .milliseconds(200))
        close()
    }

    /// Waits until no connection is left, for `timeout` at most.
    private func drain(for timeout: Duration) async {
        let end = ContinuousClock.now + timeout
        while !connections.isEmpty && ContinuousClock.now < end { await loop.sleep(for: .milliseconds(5)) }
    }
}

// Timeouts.
extension Server {
    /// Checks the timeouts of every connection once per interval.
    ///
    /// libmicrohttpd's own timeout restarts with every octet and ignores suspended connections, so a client that sends
    /// one octet every few seconds would never time out.
    func scheduleSweep() {
        sweep = loop.schedule(after: options.sweepInterval) { [unowned self] in
            sweepOnce()
            scheduleSweep()
        }
    }

    func sweepOnce() {
        tick += 1
        for connection in connections { expire(connection) }
        deliveries.report()
    }

    private func expire(_ connection: Connection) {
        switch connection.phase {
        case .head where isOver(headTimeout(of: connection), since: connection.since),
            .body where isOver(options.bodyTimeout, since: connection.since),
            .delivery where isOver(options.sendTimeout, since: connection.since):
            connection.abort()
        case .suspension where isOver(options.answerTimeout, since: connection.since):
            answerEarly(connection, .deadlinePassed)
        case .production where isOver(options.answerTimeout, since: connection.since): connection.delivery?.cut()
        default: break
        }
    }

    private func headTimeout(of connection: Connection) -> Duration {
        if connection.isOfProxy { return options.proxyKeepAlive }
        return connection.isKept ? options.keepAlive : options.headTimeout
    }

    /// Whether a phase that began at tick `start` has lasted at least `limit`, in whole intervals.
    private func isOver(_ limit: Duration, since start: Int) -> Bool {
        options.sweepInterval * (tick - start - 1) >= limit
    }
}

// A request from its response to its end.
extension Server {
    /// Takes the handler's response; ignores it when the deadline has already caused one.
    func finish(_ request: Request, with response: Response) {
        guard let connection = request.connection else { return }
        connection.outcome = response
        if connection.phase == .suspension { resume(connection) }
    }

    /// Resumes a suspended connection, to send the response in `outcome` or to read the body.
    func resume(_ connection: Connection, isAdmitted: Bool = false) {
        connection.task = nil
        connection.enter(isAdmitted ? .admission : .resumption, at: tick)
        unsafe MHD_resume_connection(connection.handle)
        runSoon()
    }

    /// Responds in place of a handler that has not finished, and cancels its task.
    func answerEarly(_ connection: Connection, _ refusal: HTTPError) {
        guard connection.phase == .suspension, let request = connection.request else { return }
        let task = connection.task
        request.connection = nil
        connection.outcome = decorate(refusal, request)
        connection.isLast = true
        resume(connection)
        task?.cancel()
    }

    func answerResumed(_ connection: Connection) -> MHD_Result {
        guard let response = connection.outcome else { return pippin_mhd_no }
        return deliver(response, on: connection)
    }

    /// Sets the octets of a connection's response that its client has yet to receive.
    func setInDelivery(_ octets: Int, on connection: Connection) {
        // libmicrohttpd frees the response of a closed connection when it runs next, which is in the next turn.
        if deliveries.set(octets, on: connection, among: connections) { runNextTurn() }
    }

    /// The application's response to an error, with the header fields that HTTP requires.
    func decorate(_ refusal: HTTPError, _ request: Request) -> Response {
        // The request may be meant for another website, so the response has nothing of the application.
        if case .misdirected = refusal { return refusal.response }
        var response = application.decorate(refusal, request)
        switch refusal {
        case .methodNotAllowed(let allow) where response[.allow] == nil: response.append(.allow, allow)
        case .overloaded where response[.retryAfter] == nil, .deadlinePassed where response[.retryAfter] == nil:
            response.append(.retryAfter, "1")
        default: break
        }
        return response
    }

    /// Passes a response to libmicrohttpd.
    func deliver(_ response: Response, on connection: Connection) -> MHD_Result {
        let isLast = connection.isLast || isStopping || isDraining
        connection.isLast = isLast
        connection.enter(.delivery, at: tick)
        // libmicrohttpd has a copy from here on, and one is enough.
        connection.outcome = nil
        // In memory once for all clients, so it does not count (see PreparedResponse).
        if let prepared = response.prepared, !isLast {
            setInDelivery(0, on: connection)
            return unsafe queue(prepared.handle, prepared.status, on: connection)
        }
        let parts = response.prepared?.parts ?? response
        connection.delivery = parts.stream.map { BodyDelivery($0, on: connection, of: self) }
        if let handle = unsafe ResponseHandle.make(parts, connection.delivery, isLast: isLast) {
            defer { unsafe MHD_destroy_response(handle) }
            setInDelivery(connection.delivery?.octets ?? parts.octets, on: connection)
            return unsafe queue(handle, parts.status, on: connection)
        }
        return deliverFailure(PreparedResponse.Failure.unsendable(parts), on: connection)
    }

    /// Sends an error response in place of one with a field that cannot be sent.
    private func deliverFailure(_ failure: PreparedResponse.Failure, on connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        let decorated = decorate(.failed(failure), request)
        let content = decorated.prepared?.parts ?? decorated
        guard let handle = unsafe ResponseHandle.make(content, isLast: connection.isLast) else { return pippin_mhd_no }
        defer { unsafe MHD_destroy_response(handle) }
        return unsafe queue(handle, content.status, on: connection)
    }

    private func queue(_ handle: OpaquePointer, _ status: Status, on connection: Connection) -> MHD_Result {
        connection.status = status
        return unsafe MHD_queue_response(connection.handle, UInt32(status.code), handle)
    }

    /// Ends a request, after its response is sent or its connection is lost.
    func completed(_ connection: Connection, wasSent: Bool) {
        release(connection)
        if let request = connection.request, let hook = application.finished {
            hook(
                FinishedRequest(
                    request: request, status: connection.status, duration: request.received.duration(to: .now),
                    work: connection.work, wasSent: wasSent))
        }
        connection.reset(at: tick)
    }

    /// Ends the counts of a request.
    private func release(_ connection: Connection) {
        if let client = connection.countedClient { inFlight.end(client) }
        connection.countedClient = nil
        requests?.releaseBody(on: connection)
        setInDelivery(0, on: connection)
    }

    func started(_ handle: OpaquePointer) -> Connection {
        let connection = unsafe Connection(handle, credential, options.trustedProxies, at: tick)
        counted = nil
        connection.place = connections.count
        connections.append(connection)
        return connection
    }

    func closed(_ connection: Connection) {
        release(connection)
        inFlight.close(connection.peer)
        connections.swapAt(connection.place, connections.count - 1)
        connections[connection.place].place = connection.place
        connections.removeLast()
    }
}

extension Response {
    /// Octets of body and field values held while the response is sent; none for a prepared response.
    var octets: Int { fields.reduce(body.count) { $0 + $1.value.utf8.count } }
}
