// HTTPClient: calls to other servers.
//
// Owns: requests over HTTP and mail over SMTP, their deadlines, the guard on addresses connected to, reuse of
// connections, the form of a message.
// Must not know: who is called and why, what an answer means.
// Standards: RFC 9110 (semantics), RFC 6890 and RFC 4291 (addresses), RFC 5321 (SMTP), RFC 5322, RFC 2045 and
// RFC 2047 (messages). The wire is libcurl's: TLS, HTTP/2,
// name look-ups on threads of its own.

internal import CCurl
public import EventLoop
internal import Glibc

/// Calls other servers from one event loop.
///
/// It belongs to that loop: tasks that live there call it, and nothing of it is shared. Proxies are not taken
/// from the environment: through a proxy the address connected to would say nothing.
// @unchecked Sendable: touched on the loop's thread alone; libcurl calls back from within calls made there.
@safe public final class HTTPClient: @unchecked Sendable {
    /// What all requests of a client share.
    public struct Options: Sendable {
        public var userAgent = "Pippin"
        /// A file with the certificates to trust, instead of the system's.
        public var trustedCertificates: String?
        /// Addresses of names as `name:port:address`, taken before any name server is asked (CURLOPT_RESOLVE).
        public var hosts: [String] = []
        /// Connections at a time; further requests wait, within their deadlines.
        public var connectionLimit = 64
        public var connectionsPerHost = 16
        /// How many calls that have an owner are under way at a time; nil where owners take no turns.
        ///
        /// One owner has three quarters of them at most.
        public var places: Int?
        /// How many calls may wait for their turns.
        var waitingLimit = 1024
        /// Opens sockets as socket(2) does; a test has it fail, as when no descriptor is left.
        var openSocket: @Sendable (_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 = {
            socket($0, $1, $2)
        }

        public init() {}
    }

    let loop: EventLoop
    let options: Options
    private let turns: CallTurns?
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt64: Transfer] = [:]
    private var lastID: UInt64 = 0
    private var watches: [Int32: Watch] = [:]
    private var timer: Timer?
    private var isClosed = false

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Makes a client for `loop`; to be called there.
    public init(on loop: EventLoop, _ options: Options = Options()) throws(ClientFailure) {
        loop.preconditionCurrent()
        guard Self.isReady, let multi = unsafe curl_multi_init() else {
            throw .other("libcurl does not start")
        }
        self.loop = loop
        self.options = options
        turns = options.places.map { CallTurns(on: loop, places: $0, waiting: options.waitingLimit) }
        unsafe self.multi = multi
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pippin_curl_set_multi_callbacks(
            multi,
            context,
            CurlCallbacks.socketChanged,
            CurlCallbacks.timerChanged
        )
        unsafe pippin_curl_set_multi_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connectionLimit)
        unsafe pippin_curl_set_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
    }

    /// Sends a request and waits for the whole answer; every status is an answer.
    ///
    /// To be called on the client's loop. Cancelling the task ends the request.
    public func send(_ request: ClientRequest) async throws(ClientFailure) -> ClientResponse {
        guard let owner = request.owner, let turns else { return try await transfer(request) }
        let waited = try await waitForTurn(at: turns, of: owner, within: request.deadline)
        defer { turns.leave(owner) }
        var rest = request
        rest.deadline -= waited
        return try await transfer(rest)
    }

    private func transfer(_ request: ClientRequest) async throws(ClientFailure) -> ClientResponse {
        try await perform { [options] id, done in Transfer(id, request, options, done) }
    }

    /// Waits until a call of `owner` has its turn, and says how long that took.
    private func waitForTurn(
        at turns: CallTurns,
        of owner: String,
        within patience: Duration
    ) async throws(ClientFailure) -> Duration {
        loop.preconditionCurrent()
        guard !isClosed else { throw .cancelled }
        lastID += 1
        let (id, start) = (lastID, ContinuousClock.now)
        let failure: ClientFailure? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ClientFailure?, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                turns.enter(id, of: owner, within: patience) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.turns?.giveUp(id, as: .cancelled) }
        }
        if let failure { throw failure }
        return ContinuousClock.now - start
    }

    /// Runs the transfer that `prepare` makes, to its end or to that of the task.
    func perform(
        _ prepare: (UInt64, @escaping Transfer.Done) -> Transfer?
    ) async throws(ClientFailure) -> ClientResponse {
        loop.preconditionCurrent()
        guard !isClosed else { throw .cancelled }
        lastID += 1
        let id = lastID
        let result: Result<ClientResponse, ClientFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(id, prepare) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.end(id, with: .failure(.cancelled)) }
        }
        return try result.get()
    }

    /// Ends every request and every connection; to be called on the loop, before that is stopped.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        turns?.close()
        for id in transfers.keys.sorted() { end(id, with: .failure(.cancelled)) }
        timer?.cancel()
        isClosed = true
        unsafe curl_multi_cleanup(multi)
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }
}

// Transfers.
extension HTTPClient {
    private func start(
        _ id: UInt64,
        _ prepare: (UInt64, @escaping Transfer.Done) -> Transfer?,
        _ done: @escaping Transfer.Done
    ) {
        guard !Task.isCancelled else { return done(.failure(.cancelled)) }
        guard let transfer = prepare(id, done) else {
            return done(.failure(.malformedRequest))
        }
        transfers[id] = transfer
        unsafe curl_multi_add_handle(multi, transfer.easy)
    }

    private func end(_ id: UInt64, with result: Result<ClientResponse, ClientFailure>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        unsafe curl_multi_remove_handle(multi, transfer.easy)
        transfer.done(result)
    }

    /// Hands over what has ended; a transfer is taken out of libcurl before its waiter hears of it.
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

// What libcurl asks of the loop.
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
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.act(CURL_SOCKET_TIMEOUT, 0)
        }
    }

    private static func events(_ ready: EventLoop.Readiness) -> Int32 {
        (ready.contains(.read) ? CURL_CSELECT_IN : 0) | (ready.contains(.write) ? CURL_CSELECT_OUT : 0)
            | (ready.isDisjoint(with: .closed) ? 0 : CURL_CSELECT_ERR)
    }
}
