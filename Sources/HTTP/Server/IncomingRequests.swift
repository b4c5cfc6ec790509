internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// The requests on a server's connections, each from its head until its handler has responded, in the order of events.
// @unchecked Sendable: used on the loop's thread only; the tasks that run handlers run there too.
@safe final class IncomingRequests: @unchecked Sendable {
    /// Octets of a rejected body that are read before the connection is closed.
    private static let discardLimit = 1 << 20

    /// The server holds this until it is closed.
    private let server: Server
    private let application: Application
    private let options: ServerOptions
    private let inFlight: InFlight
    private var numbering = RequestNumbering(start: .random(in: .min ... .max))
    /// Octets reserved for bodies over 16 KiB.
    private(set) var longBodies = 0

    init(of server: Server) {
        self.server = server
        (application, options, inFlight) = (server.application, server.options, server.inFlight)
    }

    /// Checks a complete head, finds the route, and rejects what can be rejected before the body is read.
    func begin(_ connection: Connection, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> MHD_Result {
        let request = unsafe Request(
            method: Method(token: method), id: numbering.next(), rawTarget: connection.rawTarget,
            connection: connection, proxies: options.trustedProxies)
        connection.request = request
        connection.enter(.body, at: server.tick)
        guard let target = unsafe connection.targetStart else { return pippin_mhd_no }
        let size = connection.rawTarget.count
        let line = unsafe RequestLine(method: method, target: target, targetSize: size, version: version)
        let framing = connection.head.inspect(line, options.hosts)
        // libmicrohttpd separates the trailer section after a chunked body from the next request, and may be wrong
        // there too (see HeadLayout). So the connection closes after a chunked request.
        connection.isLast = framing.contentLength == nil
        if let refusal = unsafe judge(connection.head, framing, version: version) ?? route(request)
            ?? (request.action?.ready == nil || framing.hasBody ? count(request, on: connection) : nil)
        {
            return refuse(connection, request, refusal, framing)
        }
        application.started?(request)
        if let refusal = judgeBody(of: request, framing) { return refuse(connection, request, refusal, framing) }
        request.bodyLength = framing.contentLength
        request.isHeldBack = framing.expectsContinue
        let isShort = framing.contentLength.map { $0 <= RouteOptions.shortBody } ?? false
        guard !isShort, let admission = request.action?.options.admission else {
            return expectBody(of: request, on: connection)
        }
        return ask(admission, about: request, on: connection)
    }

    /// Counts a forwarded request for its client until it is completed; an error when there are too many.
    ///
    /// One without a body on a route with a ready response waits for nothing, so it counts only if that has to be made.
    private func count(_ request: Request, on connection: Connection) -> HTTPError? {
        guard connection.countedClient == nil, let client = request.forwardedClient else { return nil }
        guard inFlight.begin(client) else { return .overloaded }
        connection.countedClient = client
        return nil
    }

    /// Reserves memory for a long body, so that a started body can be completed, or responds with 503.
    private func expectBody(of request: Request, on connection: Connection) -> MHD_Result {
        guard reserve(request.bodyLength ?? 0, on: connection) else {
            return answer(server.decorate(.overloaded, request), before: request, on: connection)
        }
        connection.enter(.body, at: server.tick)
        return pippin_mhd_yes
    }

    /// Responds without keeping the body: reads and discards it first, so that the client sees the response, unless the
    /// client waits for 100 (Continue).
    private func answer(_ response: Response, before request: Request, on connection: Connection) -> MHD_Result {
        connection.isLast = true
        guard !request.isHeldBack else { return server.deliver(response, on: connection) }
        connection.outcome = response
        connection.enter(.body, at: server.tick)
        server.setInDelivery(response.octets, on: connection)
        return pippin_mhd_yes
    }

    /// Runs the route's admission check before the body is read.
    private func ask(_ admission: @escaping RouteOptions.Admission, about request: Request, on connection: Connection)
        -> MHD_Result
    {
        connection.isAdmitting = true
        connection.enter(.answer, at: server.tick)
        let task = Task.immediate(executorPreference: server.loop) {
            let refusal = await self.response(of: admission, to: request)
            self.settle(request, refusal)
        }
        if !connection.isAdmitting { return admitted(connection) }
        suspend(connection, request, task)
        return pippin_mhd_yes
    }

    /// Continues after the admission check: reads the body, or responds without it.
    func admitted(_ connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        guard let response = connection.outcome else {
            request.isAdmitted = true
            return expectBody(of: request, on: connection)
        }
        return answer(response, before: request, on: connection)
    }

    private func settle(_ request: Request, _ refusal: Response?) {
        guard let connection = request.connection else { return }
        connection.isAdmitting = false
        connection.outcome = refusal
        if connection.phase == .suspension { server.resume(connection, isAdmitted: true) }
    }

    private func response(of admission: RouteOptions.Admission, to request: Request) async -> Response? {
        do { return try await admission(request) } catch let refusal as HTTPError {
            return server.decorate(refusal, request)
        } catch { return server.decorate(.failed(error), request) }
    }

    private func suspend(_ connection: Connection, _ request: Request, _ task: Task<Void, Never>) {
        request.copyHead()
        connection.task = task
        connection.enter(.suspension, at: server.tick)
        unsafe MHD_suspend_connection(connection.handle)
    }

    /// The error in the message's version, size, framing or host; nil when there is none.
    private func judge(_ head: RequestHead, _ framing: Framing, version: UnsafePointer<CChar>) -> HTTPError? {
        let isHTTP11 = unsafe strcmp(version, "HTTP/1.1") == 0
        guard unsafe isHTTP11 || strcmp(version, "HTTP/1.0") == 0 else { return .versionNotSupported }
        if head.size > options.headLimit { return .headerFieldsTooLarge }
        if framing.isRefused(isHTTP11: isHTTP11) { return .badRequest }
        return framing.isMisdirected ? .misdirected : nil
    }

    private func route(_ request: Request) -> HTTPError? {
        guard let target = request.target else { return .badRequest }
        switch application.routes.match(request.method, target) {
        case .action(let action, let captures):
            request.action = action
            request.captures = captures
            return nil
        case .notFound: return .notFound
        case .methodNotAllowed(let allow, let pattern):
            request.pathPattern = pattern
            return .methodNotAllowed(allow: allow)
        }
    }

    private func judgeBody(of request: Request, _ framing: Framing) -> HTTPError? {
        guard let options = request.action?.options, framing.hasBody else { return nil }
        let limit = options.bodyLimit(isAdmitted: options.admission != nil)
        if let length = framing.contentLength, length > limit { return .contentTooLarge(limit: limit) }
        let fits = options.contentTypes.isEmpty || options.contentTypes.contains(where: request.hasContentType)
        return fits ? nil : .unsupportedMediaType
    }

    /// Responds with an error, either at once, which closes the connection, or after a short body.
    ///
    /// Closing a connection with unread octets resets it, and the client may never see the response. So a short body is
    /// read to its end, unless that end is in doubt or the client waits for 100 (Continue) before it sends the body.
    private func refuse(_ connection: Connection, _ request: Request, _ refusal: HTTPError, _ framing: Framing)
        -> MHD_Result
    {
        let isSound =
            switch refusal {
            case .notFound, .methodNotAllowed, .contentTooLarge, .unsupportedMediaType, .overloaded: true
            default: false
            }
        let isShort = (framing.contentLength ?? 0) <= RouteOptions.standard.bodyLimit
        if isSound && isShort && !(framing.hasBody && framing.expectsContinue) {
            connection.refusal = refusal
            return pippin_mhd_yes
        }
        connection.isLast = true
        return server.deliver(server.decorate(refusal, request), on: connection)
    }

    /// Takes a piece of the body; libmicrohttpd accepts no response before the last piece.
    func receive(_ chunk: UnsafeRawBufferPointer, on connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        if !connection.isDiscarding, let limit = request.action?.options.bodyLimit(isAdmitted: request.isAdmitted) {
            let size = request.body.count + chunk.count
            if size <= limit, reserve(size, on: connection) {
                unsafe request.body.take(chunk, of: request.bodyLength ?? limit)
                return pippin_mhd_yes
            }
            request.body = []
            releaseBody(on: connection)
            connection.refusal = size <= limit ? .overloaded : .contentTooLarge(limit: limit)
            connection.isLast = true
        }
        connection.discarded += chunk.count
        return connection.discarded <= Self.discardLimit ? pippin_mhd_yes : pippin_mhd_no
    }

    /// Responds to a complete request, or runs its handler.
    func complete(_ connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        if let refusal = connection.refusal { return server.deliver(server.decorate(refusal, request), on: connection) }
        if let response = connection.outcome { return server.deliver(response, on: connection) }
        guard let action = request.action else { return pippin_mhd_no }
        guard readParts(of: request, for: action, on: connection) else {
            return server.deliver(server.decorate(.badRequest, request), on: connection)
        }
        connection.enter(.answer, at: server.tick)
        if let ready = action.ready {
            do { if let response = try ready(request) { return server.deliver(response, on: connection) } } catch {
                return server.deliver(server.decorate(error as? HTTPError ?? .failed(error), request), on: connection)
            }
            if let refusal = count(request, on: connection) {
                return server.deliver(server.decorate(refusal, request), on: connection)
            }
        }
        let task = Task.immediate(executorPreference: server.loop) {
            let response = await self.response(to: request, by: action)
            self.server.finish(request, with: response)
        }
        if let response = connection.outcome { return server.deliver(response, on: connection) }
        suspend(connection, request, task)
        return pippin_mhd_yes
    }

    /// Parses a multipart form while the connection still holds the head; false when it is malformed.
    private func readParts(of request: Request, for action: Action, on connection: Connection) -> Bool {
        guard action.options.takesFiles, request.hasContentType(.multipart) else { return true }
        guard let parts = unsafe MultipartReader.read(request.body, on: connection.handle) else { return false }
        (request.multipartForm, request.uploads, request.body) = (parts.form, parts.uploads, [])
        return true
    }

    private func response(to request: Request, by action: Action) async -> Response {
        if request.method == .head, action.options.storesOnGet { return .unaskedGet }
        do { return try await action.respond(request) } catch let refusal as HTTPError {
            return server.decorate(refusal, request)
        } catch { return server.decorate(.failed(error), request) }
    }

    /// Reserves room for a body of `octets` until `releaseBody`; false when the loop's budget for long bodies is used up.
    ///
    /// Short bodies need no budget, because each connection has one at most.
    private func reserve(_ octets: Int, on connection: Connection) -> Bool {
        guard octets > max(RouteOptions.shortBody, connection.longBody) else { return true }
        let sum = longBodies + octets - connection.longBody
        guard sum <= options.longBodyBudget else { return false }
        (longBodies, connection.longBody) = (sum, octets)
        return true
    }

    /// Gives back what `reserve` has reserved.
    func releaseBody(on connection: Connection) {
        longBodies -= connection.longBody
        connection.longBody = 0
    }
}

extension [UInt8] {
    /// Appends a piece of a body that may become `limit` octets long, and reserves no more than that.
    ///
    /// The capacity grows with the octets received, because a declared length cannot be trusted.
    mutating func take(_ piece: UnsafeRawBufferPointer, of limit: Int) {
        let wanted = count + piece.count
        if wanted > capacity { reserveCapacity(Swift.max(wanted, Swift.min(limit, 2 * wanted))) }
        unsafe append(contentsOf: piece)
    }
}
