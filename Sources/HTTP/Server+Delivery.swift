// Answers on their way to clients that take their time.
extension Server {
    /// Counts what a connection's answer takes in place of what it took before; then others may have to give way, and the
    /// connection itself never.
    func hold(_ octets: Int, on connection: Connection) {
        guard !connection.isAborted else { return }
        if connection.held == 0 {
            answerCount += 1
            connection.heldSince = answerCount
        }
        deliveries.set(&connection.held, to: octets)
        if octets > 0, deliveries.isExceeded { giveUpAnswers(besides: connection) }
    }

    /// Takes an answer off the count: it was sent, or never will be.
    func letGo(of connection: Connection) {
        guard connection.held > 0 else { return }
        deliveries.set(&connection.held, to: 0)
    }

    /// Has connections end whose clients hold most, until there is room again.
    private func giveUpAnswers(besides latest: Connection) {
        let holding = connections.filter { $0.held > 0 && !$0.isAborted }
        let chosen = deliveries.choose(
            holding.map { connection in
                DeliveryBudget.Holder(
                    // Behind a proxy it is not the proxy that takes its time.
                    client: connection.request?.client ?? connection.peer,
                    octets: connection.held,
                    since: connection.heldSince,
                    mayEnd: connection !== latest
                )
            }
        )
        for place in chosen {
            let connection = holding[place]
            // libmicrohttpd frees it in its next turn, which comes at once.
            letGo(of: connection)
            connection.delivery?.cut()
            connection.abort()
        }
        guard !chosen.isEmpty else { return }
        connectionCount.noteAnswersGivenUp(chosen.count)
        runNextTurn()
    }

    /// Tells the other loops' count what this one holds: once a sweep, so that it costs a request nothing.
    func tellDeliveries() {
        connectionCount.noteInDelivery(deliveries.held - toldInDelivery)
        toldInDelivery = deliveries.held
    }
}

extension Response {
    /// What is kept of it for as long as it is being sent; of a prepared one nothing of its own.
    var octets: Int {
        fields.reduce(body.count) { $0 + $1.value.utf8.count }
    }
}
