// Memory of responses that clients have yet to receive.
extension Server {
    /// Sets the octets that a connection's response takes, and closes other connections when the budget is exceeded,
    /// never this one.
    func hold(_ octets: Int, on connection: Connection) {
        guard !connection.isAborted else { return }
        if connection.held == 0 {
            answerCount += 1
            connection.heldSince = answerCount
        }
        deliveries.set(&connection.held, to: octets)
        if octets > 0, deliveries.isExceeded { giveUpAnswers(besides: connection) }
    }

    /// Releases the octets of a response that was sent or never will be.
    func letGo(of connection: Connection) {
        guard connection.held > 0 else { return }
        deliveries.set(&connection.held, to: 0)
    }

    /// Closes the connections of the clients that hold most octets, until the budget suffices.
    private func giveUpAnswers(besides latest: Connection) {
        let holding = connections.filter { $0.held > 0 && !$0.isAborted }
        let chosen = deliveries.choose(
            holding.map { connection in
                DeliveryBudget.Holder(
                    // Behind a proxy, the client is slow, not the proxy.
                    client: connection.request?.client ?? connection.peer, octets: connection.held,
                    since: connection.heldSince, mayEnd: connection !== latest)
            })
        for place in chosen {
            let connection = holding[place]
            // libmicrohttpd frees the response when it runs next, which is in the next turn.
            letGo(of: connection)
            connection.delivery?.cut()
            connection.abort()
        }
        guard !chosen.isEmpty else { return }
        connectionCount.noteAnswersGivenUp(chosen.count)
        runNextTurn()
    }

    /// Reports this loop's octets to the count of all loops, once per sweep so that a request costs nothing.
    func tellDeliveries() {
        connectionCount.noteInDelivery(deliveries.held - toldInDelivery)
        toldInDelivery = deliveries.held
    }
}

extension Response {
    /// Octets of body and field values held while the response is sent; none for a prepared response.
    var octets: Int { fields.reduce(body.count) { $0 + $1.value.utf8.count } }
}
