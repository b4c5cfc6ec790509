/// Requests that wait for their responses, by client, counted once a loop has many.
///
/// Below half of the places nothing is counted. From there on, an address or IPv6 network that has more than an eighth
/// of all places gets no further one, nor does one whose site has more than a quarter. So a few clients with slow
/// requests do not take the remaining places from all others.
struct WaitingShares {
    /// Number of waiting requests at which counting begins.
    let threshold: Int
    private let share: Int
    private(set) var isCounting = false
    private var byNetwork: [IPAddress: Int] = [:]
    private var bySite: [IPAddress: Int] = [:]

    /// - Parameter places: the maximum number of waiting requests.
    init(places: Int) {
        threshold = places / 2
        share = max(1, places / 8)
    }

    /// Begins to count, starting with the requests that already wait.
    mutating func begin(with clients: [IPAddress]) {
        isCounting = true
        for client in clients { add(1, to: client) }
    }

    /// Stops counting when `waiting` is at most half of the threshold, so that counting does not soon start again.
    mutating func end(at waiting: Int) {
        guard waiting <= threshold / 2 else { return }
        (isCounting, byNetwork, bySite) = (false, [:], [:])
    }

    mutating func add(_ difference: Int, to client: IPAddress) {
        Self.add(difference, to: &byNetwork[client.network])
        if let site = client.site { Self.add(difference, to: &bySite[site]) }
    }

    /// Whether one more request of a client may wait.
    func hasRoom(for client: IPAddress) -> Bool {
        if let site = client.site, bySite[site, default: 0] > 2 * share { return false }
        return byNetwork[client.network, default: 0] <= share
    }

    private static func add(_ difference: Int, to count: inout Int?) {
        let sum = (count ?? 0) + difference
        count = sum > 0 ? sum : nil
    }
}

extension Server {
    /// Whether a request may wait for its response; a single comparison below the threshold.
    func mayWait(_ request: Request) -> Bool {
        guard underWay >= shares.threshold else { return true }
        if request.action?.options.neverWaits == true { return true }
        guard underWay < options.requestsUnderWay else { return false }
        if !shares.isCounting {
            let waiting = connections.filter { $0.phase == .suspension }
            shares.begin(with: waiting.compactMap { $0.request?.holder })
        }
        guard let client = request.holder else { return true }
        return shares.hasRoom(for: client)
    }

    /// Counts a request that begins to wait.
    func beginWait(of request: Request) {
        underWay += 1
        if shares.isCounting, let client = request.holder { shares.add(1, to: client) }
    }

    /// Removes a connection's request, which waits no longer, from the count.
    func endWait(on connection: Connection) {
        underWay -= 1
        guard shares.isCounting else { return }
        if let client = connection.request?.holder { shares.add(-1, to: client) }
        shares.end(at: underWay)
    }
}

extension Request {
    /// The client whose share the request takes; nil for a trusted proxy that reports no client.
    var holder: IPAddress? {
        let client = client
        return proxies.contains(client) ? nil : client
    }
}
