internal import CMicroHTTPD

// A request from its answer to its end.
extension Server {
    /// The handler is done; nobody waits when the deadline was faster.
    func finish(_ request: Request, with response: Response) {
        guard let connection = request.connection else { return }
        connection.outcome = response
        if connection.phase == .suspension { resume(connection) }
    }

    /// Takes a suspended connection up again, to answer what its `outcome` says or to go on to the body.
    func resume(_ connection: Connection, isAdmitted: Bool = false) {
        endWait(on: connection)
        connection.task = nil
        connection.enter(isAdmitted ? .admission : .resumption, at: tick)
        unsafe MHD_resume_connection(connection.handle)
        runSoon()
    }

    /// Answers for a handler that is not done, and tells it to stop.
    func answerEarly(_ connection: Connection, _ refusal: Refusal) {
        guard connection.phase == .suspension, let request = connection.request else { return }
        let task = connection.task
        request.connection = nil
        connection.outcome = dress(refusal, request)
        connection.isLast = true
        resume(connection)
        task?.cancel()
    }

    func answerResumed(_ connection: Connection) -> MHD_Result {
        guard let response = connection.outcome else { return pippin_mhd_no }
        return deliver(response, on: connection)
    }

    /// The application's answer to a refusal, with the fields that HTTP asks for.
    func dress(_ refusal: Refusal, _ request: Request) -> Response {
        // For another website perhaps, so nothing of the application's.
        if case .misdirected = refusal { return refusal.response }
        var response = application.dress(refusal, request)
        switch refusal {
        case .methodNotAllowed(let allow) where response[.allow] == nil:
            response.append(.allow, allow)
        case .overloaded where response[.retryAfter] == nil,
            .deadlinePassed where response[.retryAfter] == nil:
            response.append(.retryAfter, "1")
        default: break
        }
        return response
    }

    /// Hands an answer to libmicrohttpd.
    func deliver(_ response: Response, on connection: Connection) -> MHD_Result {
        let isLast =
            connection.isLast || isStopping || connection.requestCount >= options.requestsPerConnection
        connection.isLast = isLast
        connection.enter(.delivery, at: tick)
        // libmicrohttpd has a copy from now on, and one is enough.
        connection.outcome = nil
        // In memory once, however many read it: whoever keeps it bounds it (see PreparedResponse).
        if let prepared = response.prepared, !isLast {
            letGo(of: connection)
            return unsafe queue(prepared.handle, prepared.status, on: connection)
        }
        let parts = response.prepared?.parts ?? response
        connection.delivery = parts.stream.map { BodyDelivery($0, on: connection, of: self) }
        if let handle = unsafe ResponseHandle.make(parts, connection.delivery, isLast: isLast) {
            defer { unsafe MHD_destroy_response(handle) }
            hold(connection.delivery?.octets ?? parts.octets, on: connection)
            return unsafe queue(handle, parts.status, on: connection)
        }
        return deliverFailure(PreparedResponse.Failure.unsendable(parts), on: connection)
    }

    /// A field of the answer cannot be sent: nothing of it is.
    private func deliverFailure(_ failure: PreparedResponse.Failure, on connection: Connection) -> MHD_Result
    {
        guard let request = connection.request else { return pippin_mhd_no }
        let dressed = dress(.failed(failure), request)
        let content = dressed.prepared?.parts ?? dressed
        guard let handle = unsafe ResponseHandle.make(content, isLast: connection.isLast) else {
            return pippin_mhd_no
        }
        defer { unsafe MHD_destroy_response(handle) }
        return unsafe queue(handle, content.status, on: connection)
    }

    private func queue(_ handle: OpaquePointer, _ status: Status, on connection: Connection) -> MHD_Result {
        connection.status = status
        return unsafe MHD_queue_response(connection.handle, UInt32(status.code), handle)
    }

    /// The request ended, with its answer or with its connection.
    func completed(_ connection: Connection, wasSent: Bool) {
        if let request = connection.request, let hook = application.finished {
            hook(
                FinishedRequest(
                    request: request,
                    status: connection.status,
                    duration: request.received.duration(to: .now),
                    work: connection.work,
                    wasSent: wasSent
                )
            )
        }
        bodies.giveBack(&connection.share)
        letGo(of: connection)
        connection.reset(at: tick)
    }

    func closed(_ connection: Connection) {
        bodies.giveBack(&connection.share)
        letGo(of: connection)
        connectionCount.remove(connection.peer)
        connections.swapAt(connection.place, connections.count - 1)
        connections[connection.place].place = connection.place
        connections.removeLast()
    }
}
