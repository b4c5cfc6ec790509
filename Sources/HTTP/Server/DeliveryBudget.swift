/// Octets of responses that the clients of one loop have yet to receive, and the budget for all of them.
final class DeliveryBudget {
    private let limit: Int
    private let inFlight: InFlight
    private(set) var octets = 0
    /// Number of responses, and of pieces of them, so far.
    private var count = 0
    /// Octets as last reported to the count of all loops.
    private var reported = 0

    init(_ limit: Int, reportingTo inFlight: InFlight) {
        self.limit = limit
        self.inFlight = inFlight
    }

    /// Sets the octets of a connection's response that its client has yet to receive.
    ///
    /// When all of them exceed the budget, closes the connections whose clients have received nothing for longest, never
    /// this one.
    ///
    /// - Returns: whether it has closed any.
    func set(_ octets: Int, on connection: Connection, among connections: [Connection]) -> Bool {
        guard !connection.isAborted || octets == 0 else { return false }
        move(connection, to: octets)
        return octets > 0 && self.octets > limit && closeUnread(of: connections, besides: connection)
    }

    private func move(_ connection: Connection, to octets: Int) {
        self.octets += octets - connection.inDelivery
        connection.inDelivery = octets
        count += 1
        connection.deliveryNumber = count
    }

    /// Frees an eighth of the budget more than needed, because a call examines every connection and so must be rare.
    private func closeUnread(of connections: [Connection], besides latest: Connection) -> Bool {
        let unread = connections.filter { $0.inDelivery > 0 && $0 !== latest }
        var closed = 0
        for connection in unread.sorted(by: { $0.deliveryNumber < $1.deliveryNumber }) {
            guard octets > limit / 8 * 7 else { break }
            move(connection, to: 0)
            connection.delivery?.cut()
            connection.abort()
            closed += 1
        }
        guard closed > 0 else { return false }
        inFlight.note { $0.answersGivenUp += closed }
        return true
    }

    /// Reports this loop's octets to the count of all loops, once per sweep so that a request costs nothing.
    func report() {
        guard octets != reported else { return }
        inFlight.note { $0.inDelivery += octets - reported }
        reported = octets
    }
}
