/// How many connections there are from where a client comes: from its site of IPv6 (/48), and of these from its network
/// (/64); twice the same for an address of IPv4.
///
/// A trusted proxy, which speaks for many clients, holds none.
struct Holding: Equatable, Comparable {
    var site = 0
    var network = 0

    /// Who has the one connection that comes.
    static let one = Holding(site: 1, network: 1)

    static func < (left: Holding, right: Holding) -> Bool {
        (left.site, left.network) < (right.site, right.network)
    }
}

/// Which of some connections gives way to a new one.
///
/// One of whoever holds most: a client that takes all places, with however many connections, of whatever kind and
/// however busy, makes room for everybody else and costs them nothing. Only among those who hold as many it matters what
/// a connection does, so that neighbours behind one address are judged by that.
struct Displacement {
    /// A connection that waits for its client.
    struct Candidate {
        let holding: Holding
        /// Whether the client has yet to take its answer; else something is awaited of it.
        let isDelivered: Bool
        /// The tick at which the wait began.
        let since: Int
    }

    /// How much longer a client may take over an answer, of which it would lose the rest, than over a head or a body, of
    /// which no handler has seen anything.
    private static let deliveryTicks = 2

    /// The time by the server's clock.
    let tick: Int
    /// Of the client that comes, with the new connection.
    let newcomer: Holding

    /// The place of the one that gives way; nil where the new one is not taken.
    ///
    /// A wait that began a moment ago is safe from those who hold as many themselves, so that a crowd of new ones does
    /// not keep everybody from getting a word out.
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
