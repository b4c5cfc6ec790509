/// Numbers of connections from a client's IPv6 site (/48) and from its network (/64); for IPv4 both are those of its
/// address.
///
/// A trusted proxy, which connects for many clients, holds none.
struct Holding: Equatable, Comparable {
    var site = 0
    var network = 0

    /// The holding of a client that has only the new connection.
    static let one = Holding(site: 1, network: 1)

    static func < (left: Holding, right: Holding) -> Bool { (left.site, left.network) < (right.site, right.network) }
}

/// Choice of the connection to close in favour of a new one.
///
/// It is one of a client that holds most: a client that takes all connections, however many, of whatever kind and
/// however busy, loses its own and costs other clients nothing. The state of a connection matters only among clients
/// that hold equally many, so that clients behind one address are compared by it.
struct Displacement {
    /// A connection that waits for its client.
    struct Candidate {
        let holding: Holding
        /// Whether the client has yet to receive its response; otherwise it has yet to send a head or a body.
        let isDelivered: Bool
        /// The tick at which the wait began.
        let since: Int
    }

    /// Additional ticks for a client that receives a response, because it would lose the rest of that response, while
    /// no handler has seen anything of an unfinished head or body.
    private static let deliveryTicks = 2

    /// The server's current tick.
    let tick: Int
    /// Holding of the new connection's client, with the new connection.
    let newcomer: Holding

    /// The index of the candidate to close; nil when the new connection is to be rejected.
    ///
    /// A wait that has just begun is safe from clients that hold equally many, so that a burst of new connections does
    /// not prevent all clients from sending a request.
    func choose(_ candidates: [Candidate]) -> Int? {
        guard let most = candidates.map(\.holding).max() else { return nil }
        var chosen: Int?
        var oldest = Int.max
        for (place, candidate) in candidates.enumerated() where candidate.holding == most {
            let begin = candidate.isDelivered ? candidate.since + Self.deliveryTicks : candidate.since
            if begin < oldest { (chosen, oldest) = (place, begin) }
        }
        return most > newcomer || oldest < tick ? chosen : nil
    }
}
