internal import CCurl
public import EventLoop
internal import Glibc

/// A client for other servers, on one event loop.
///
/// Requests run on that loop, whichever thread they are made on. Proxies are not taken from the environment, because
/// behind a proxy the address connected to is not the server's: one has to be chosen on purpose.
// @unchecked Sendable: used on the loop's thread only; libcurl calls back from within calls made there.
@safe public final class HTTPClient: @unchecked Sendable {
    /// Options shared by all requests of a client.
    public struct Options: Sendable {
        public var userAgent = "Pippin"
        /// A file with the certificates to trust, in place of the system's.
        public var trustedCertificates: String?
        /// Addresses of host names as `name:port:address`, used before any name server is asked (CURLOPT_RESOLVE).
        public var hosts: [String] = []
        /// A proxy for requests to other machines; nil for none.
        public var proxy: OutgoingProxy?
        /// Closed where no request may leave; nil for a client that any installation may use.
        public var gate: OutgoingGate?
        /// Maximum number of connections; further requests wait, within their deadlines.
        public var connectionLimit = 64
        public var connectionsPerHost = 16
        /// Maximum number of calls with an owner that run at a time; nil for no call queue.
        ///
        /// One owner has three quarters of them at most.
        public var places: Int?
        /// Time limit of every request in place of its own; nil for its own.
        public var deadline: Duration?
        /// Maximum number of calls that wait for a place.
        var waitingLimit = 1024
        /// Opens a socket as socket(2) does; a test makes it fail, as when no descriptor is left.
        var openSocket: @Sendable (_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 = { socket($0, $1, $2) }

        public init() {}
    }

    let loop: EventLoop
    let options: Options
    private let turns: CallQueue?
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt64: Transfer] = [:]
    private var lastID: UInt64 = 0
    private var watches: [Int32: Watch] = [:]
    private var timer: Timer?
    private var isClosed = false

    /// Creates a client for `loop`; call it on that loop.
    public init(on loop: EventLoop, _ options: Options = Options()) throws(ClientFailure) {
        loop.preconditionCurrent()
        guard EasyHandle.isReady, let multi = unsafe curl_multi_init() else { throw .other("libcurl does not start") }
        self.loop = loop
        self.options = options
        turns = options.places.map { CallQueue(on: loop, places: $0, waiting: options.waitingLimit) }
        unsafe self.multi = multi
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pippin_curl_set_multi_callbacks(multi, context, CurlCallbacks.socketChanged, CurlCallbacks.timerChanged)
        unsafe pippin_curl_set_multi_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connectionLimit)
        unsafe pippin_curl_set_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
        // Connections kept open for further requests; by default libcurl keeps four for each running request.
        unsafe pippin_curl_set_multi_number(multi, CURLMOPT_MAXCONNECTS, options.connectionLimit)
    }

    /// Sends a request and waits for the whole response; a response with any status is a success.
    ///
    /// May be called on any thread; on the client's loop there is no change of threads. Cancelling the task ends the
    /// request.
    public func send(_ request: ClientRequest) async throws(ClientFailure) -> ClientResponse {
        guard !loop.isCurrent else { return try await sendHere(request) }
        let sending = Task(executorPreference: loop) { await self.outcome(of: request) }
        return try await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            sending.cancel()
        }.get()
    }

    private func outcome(of request: ClientRequest) async -> Result<ClientResponse, ClientFailure> {
        do throws(ClientFailure) { return .success(try await sendHere(request)) } catch { return .failure(error) }
    }

    private func sendHere(_ request: ClientRequest) async throws(ClientFailure) -> ClientResponse {
        try options.gate?.expectOpen()
        var request = request
        if let deadline = options.deadline { request.deadline = deadline }
        guard let owner = request.owner, let turns else { return try await transfer(request) }
        let waited = try await waitForTurn(at: turns, of: owner, within: request.deadline)
        defer { turns.leave(owner) }
        request.deadline -= waited
        return try await transfer(request)
    }

    private func transfer(_ request: ClientRequest) async throws(ClientFailure) -> ClientResponse {
        loop.preconditionCurrent()
        guard !isClosed else { throw .cancelled }
        lastID += 1
        let id = lastID
        let result: Result<ClientResponse, ClientFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in start(id, request) { continuation.resume(returning: $0) } }
        } onCancel: {
            loop.execute { self.end(id, with: .failure(.cancelled)) }
        }
        return try result.get()
    }

    /// Waits for the place of a call of `owner`, and returns how long that took.
    private func waitForTurn(at turns: CallQueue, of owner: String, within timeout: Duration)
        async throws(ClientFailure) -> Duration
    {
        loop.preconditionCurrent()
        guard !isClosed else { throw .cancelled }
        lastID += 1
        let (id, start) = (lastID, ContinuousClock.now)
        let failure: ClientFailure? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ClientFailure?, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                turns.enter(id, of: owner, within: timeout) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.turns?.giveUp(id, as: .cancelled) }
        }
        if let failure { throw failure }
        return ContinuousClock.now - start
    }

    /// Ends every request and every connection; call it on the loop, before the loop is stopped.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        turns?.close()
        end(as: .cancelled)
        timer?.cancel()
        isClosed = true
        unsafe curl_multi_cleanup(multi)
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }
}

// Transfers.
extension HTTPClient {
    /// Ends every request with this failure.
    func end(as failure: ClientFailure) { for id in transfers.keys.sorted() { end(id, with: .failure(failure)) } }

    private func start(_ id: UInt64, _ request: ClientRequest, _ done: @escaping Transfer.Done) {
        guard !Task.isCancelled else { return done(.failure(.cancelled)) }
        guard let transfer = Transfer(id, request, options, done) else { return done(.failure(.malformedRequest)) }
        transfers[id] = transfer
        unsafe curl_multi_add_handle(multi, transfer.easy.pointer)
    }

    private func end(_ id: UInt64, with result: Result<ClientResponse, ClientFailure>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        unsafe curl_multi_remove_handle(multi, transfer.easy.pointer)
        transfer.done(result)
    }

    /// Reports the transfers that have ended; each is removed from libcurl before its caller resumes.
    private func collectEnded() {
        var context: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while unsafe pippin_curl_next_ended(multi, &context, &code) != 0 {
            guard let context = unsafe context else { continue }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            end(transfer.id, with: transfer.result(code))
        }
    }
}

// Sockets and timers for libcurl.
extension HTTPClient {
    func act(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, events, &running)
        collectEnded()
    }

    func watch(_ socket: Int32, for what: Int32) {
        guard !isClosed, what != CURL_POLL_REMOVE else {
            watches.removeValue(forKey: socket)?.cancel()
            return
        }
        var interest: EventLoop.Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        if let watch = watches[socket] { return watch.change(to: interest) }
        watches[socket] = try? loop.watch(socket, for: interest) { [weak self] ready in
            self?.act(socket, Self.events(ready))
        }
    }

    func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, 0) }
    }

    private static func events(_ ready: EventLoop.Readiness) -> Int32 {
        (ready.contains(.read) ? CURL_CSELECT_IN : 0) | (ready.contains(.write) ? CURL_CSELECT_OUT : 0)
            | (ready.isDisjoint(with: .closed) ? 0 : CURL_CSELECT_ERR)
    }
}
