internal import CMicroHTTPD

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
        let isLast = connection.isLast || isStopping
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
        releaseBody(on: connection)
        setInDelivery(0, on: connection)
    }

    func closed(_ connection: Connection) {
        release(connection)
        inFlight.close(connection.peer)
        connections.swapAt(connection.place, connections.count - 1)
        connections[connection.place].place = connection.place
        connections.removeLast()
    }
}

// Memory of responses that clients have yet to receive.
extension Server {
    /// Sets the octets of a connection's response that its client has yet to receive.
    ///
    /// When all of them exceed the loop's budget, closes the connections whose clients have received nothing for longest,
    /// never this one.
    func setInDelivery(_ octets: Int, on connection: Connection) {
        guard !connection.isAborted || octets == 0 else { return }
        inDelivery += octets - connection.inDelivery
        connection.inDelivery = octets
        deliveryCount += 1
        connection.deliveryNumber = deliveryCount
        if octets > 0, inDelivery > options.deliveryBudget { closeUnread(besides: connection) }
    }

    /// Frees an eighth of the budget more than needed, because a call examines every connection and so must be rare.
    private func closeUnread(besides latest: Connection) {
        let unread = connections.filter { $0.inDelivery > 0 && $0 !== latest }
        var count = 0
        for connection in unread.sorted(by: { $0.deliveryNumber < $1.deliveryNumber }) {
            guard inDelivery > options.deliveryBudget / 8 * 7 else { break }
            // libmicrohttpd frees the response when it runs next, which is in the next turn.
            setInDelivery(0, on: connection)
            connection.delivery?.cut()
            connection.abort()
            count += 1
        }
        guard count > 0 else { return }
        inFlight.note { $0.answersGivenUp += count }
        runNextTurn()
    }

    /// Reports this loop's octets to the count of all loops, once per sweep so that a request costs nothing.
    func reportDeliveries() {
        guard inDelivery != reportedInDelivery else { return }
        inFlight.note { $0.inDelivery += inDelivery - reportedInDelivery }
        reportedInDelivery = inDelivery
    }
}

extension Response {
    /// Octets of body and field values held while the response is sent; none for a prepared response.
    var octets: Int { fields.reduce(body.count) { $0 + $1.value.utf8.count } }
}
