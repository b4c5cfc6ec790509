internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

// A request from its head until its handler runs, in the order of events.
extension Server {
    /// Octets of a refused body that are read before the connection is cut.
    private static let discardLimit = 1 << 20

    func started(_ handle: OpaquePointer) -> Connection {
        let connection = unsafe Connection(handle, isEncrypted: options.tls != nil, at: tick)
        connection.place = connections.count
        connections.append(connection)
        return connection
    }

    /// The head is there: checks it, finds the route, and refuses what can be refused before the body.
    func begin(
        _ connection: Connection,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        let request = unsafe Request(
            method: Method(token: method),
            id: numbering.next(),
            rawTarget: connection.rawTarget,
            connection: connection,
            proxies: options.trustedProxies
        )
        connection.request = request
        connection.requestCount += 1
        connection.enter(.body, at: tick)
        guard let target = unsafe connection.targetStart else { return pippin_mhd_no }
        let size = connection.rawTarget.count
        let line = unsafe RequestLine(method: method, target: target, targetSize: size, version: version)
        let framing = connection.head.inspect(line)
        // What follows a chunked body, in its trailer section, is libmicrohttpd's to tell from the next
        // request, and it may be wrong there too (see HeadLayout): so nothing follows it.
        connection.isLast = framing.contentLength == nil
        if let refusal = unsafe judge(connection.head, framing, version: version) ?? route(request) {
            return refuse(connection, request, refusal, framing)
        }
        if let refusal = judgeBody(of: request, framing) {
            return refuse(connection, request, refusal, framing)
        }
        if let length = framing.contentLength, length > 0 { request.body.reserveCapacity(length) }
        return pippin_mhd_yes
    }

    /// What is wrong with the message as such.
    private func judge(
        _ head: RequestHead,
        _ framing: Framing,
        version: UnsafePointer<CChar>
    ) -> Refusal? {
        let isHTTP11 = unsafe strcmp(version, "HTTP/1.1") == 0
        guard unsafe isHTTP11 || strcmp(version, "HTTP/1.0") == 0 else { return .versionNotSupported }
        if head.size > options.headLimit { return .headerFieldsTooLarge }
        return framing.isRefused(isHTTP11: isHTTP11) ? .badRequest : nil
    }

    private func route(_ request: Request) -> Refusal? {
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

    private func judgeBody(of request: Request, _ framing: Framing) -> Refusal? {
        guard let options = request.action?.options, framing.hasBody else { return nil }
        if let length = framing.contentLength, length > options.bodyLimit {
            return .contentTooLarge(limit: options.bodyLimit)
        }
        let fits =
            options.contentTypes.isEmpty || options.contentTypes.contains(where: request.hasContentType)
        return fits ? nil : .unsupportedMediaType
    }

    /// Answers a refusal at once, and then for the last time on the connection, or after a short body.
    ///
    /// Closing on unread octets resets the connection, and the client may never see why: so a short body is
    /// heard to its end. Not one whose end is in doubt, nor one that the client holds back for our sign.
    private func refuse(
        _ connection: Connection,
        _ request: Request,
        _ refusal: Refusal,
        _ framing: Framing
    ) -> MHD_Result {
        let isSound =
            switch refusal {
            case .notFound, .methodNotAllowed, .unsupportedMediaType: true
            default: false
            }
        let isShort = (framing.contentLength ?? 0) <= RouteOptions.standard.bodyLimit
        if isSound && isShort && !(framing.hasBody && framing.expectsContinue) {
            connection.refusal = refusal
            return pippin_mhd_yes
        }
        connection.isLast = true
        return deliver(dress(refusal, request), on: connection)
    }

    /// Takes a piece of the body; libmicrohttpd refuses every answer until the last one is there.
    func receive(_ chunk: UnsafeRawBufferPointer, on connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        if connection.refusal == nil, let limit = request.action?.options.bodyLimit {
            guard request.body.count + chunk.count > limit else {
                unsafe request.body.append(contentsOf: chunk)
                return pippin_mhd_yes
            }
            request.body = []
            connection.refusal = .contentTooLarge(limit: limit)
            connection.isLast = true
        }
        connection.discarded += chunk.count
        return connection.discarded <= Self.discardLimit ? pippin_mhd_yes : pippin_mhd_no
    }

    /// The request is complete: answers it, or has its handler do so.
    func complete(_ connection: Connection) -> MHD_Result {
        guard let request = connection.request else { return pippin_mhd_no }
        if let refusal = connection.refusal { return deliver(dress(refusal, request), on: connection) }
        guard let action = request.action, underWay < options.requestsUnderWay else {
            return deliver(dress(.overloaded, request), on: connection)
        }
        guard readParts(of: request, for: action, on: connection) else {
            return deliver(dress(.badRequest, request), on: connection)
        }
        connection.enter(.answer, at: tick)
        let task = Task.immediate(executorPreference: loop) {
            let response = await self.response(to: request, by: action)
            self.finish(request, with: response)
        }
        if let response = connection.outcome { return deliver(response, on: connection) }
        request.copyHead()
        connection.task = task
        connection.enter(.suspension, at: tick)
        underWay += 1
        unsafe MHD_suspend_connection(connection.handle)
        return pippin_mhd_yes
    }

    /// Takes a form with files apart while the connection still knows its head; false when it is none.
    private func readParts(of request: Request, for action: Action, on connection: Connection) -> Bool {
        guard action.options.takesFiles, request.hasContentType(.multipart) else { return true }
        guard let parts = unsafe MultipartReader.read(request.body, on: connection.handle) else {
            return false
        }
        (request.multipartForm, request.uploads, request.body) = (parts.form, parts.uploads, [])
        return true
    }

    private func response(to request: Request, by action: Action) async -> Response {
        do {
            return try await action.respond(request)
        } catch let refusal as Refusal {
            return dress(refusal, request)
        } catch {
            return dress(.failed(error), request)
        }
    }
}
