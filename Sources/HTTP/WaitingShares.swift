/// Whose the requests are that wait for their answers, once a loop has many.
///
/// Below half of the places nobody is counted. From there on an address, or network of IPv6, that has more than an eighth
/// of all places gets no further one, and neither does one whose site has more than a quarter: so a few clients that have
/// slow work done do not take the rest of them from all others.
struct WaitingShares {
    /// Requests that wait at which counting begins.
    let threshold: Int
    private let share: Int
    private(set) var isCounting = false
    private var byNetwork: [IPAddress: Int] = [:]
    private var bySite: [IPAddress: Int] = [:]

    /// - Parameter places: requests that may wait in all.
    init(places: Int) {
        threshold = places / 2
        share = max(1, places / 8)
    }

    /// Begins to count, with those that wait already.
    mutating func begin(with clients: [IPAddress]) {
        isCounting = true
        for client in clients { add(1, to: client) }
    }

    /// Counts no longer where `waiting` is so low that it will take a while until that is needed again.
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
    /// Whether a request may wait for its answer; one comparison as long as there are places for everybody.
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

    /// A request begins to wait.
    func beginWait(of request: Request) {
        underWay += 1
        if shares.isCounting, let client = request.holder { shares.add(1, to: client) }
    }

    /// The request of a connection waits no longer.
    func endWait(on connection: Connection) {
        underWay -= 1
        guard shares.isCounting else { return }
        if let client = connection.request?.holder { shares.add(-1, to: client) }
        shares.end(at: underWay)
    }
}

extension Request {
    /// Whose share of what a loop has it takes; nil for a trusted proxy that does not say whom it speaks for.
    var holder: IPAddress? {
        let client = client
        return proxies.contains(client) ? nil : client
    }
}
