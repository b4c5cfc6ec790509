/// Budget for the octets of responses that a loop holds until their clients have received them.
///
/// A slow client could fill the memory with responses. Beyond the budget, responses are dropped: those of the client
/// that holds most octets, the oldest first. So a client that reads nothing, on however many connections, affects no
/// other client, and memory stays bounded.
struct DeliveryBudget {
    /// A response that is not received yet.
    struct Holder {
        let client: IPAddress
        let octets: Int
        /// Sequence number among all responses.
        let since: Int
        /// Whether it may be dropped.
        var mayEnd = true
    }

    let limit: Int
    private(set) var held = 0

    init(limit: Int) { self.limit = limit }

    var isExceeded: Bool { held > limit }

    /// Sets a share to `octets`; never fails, because other responses are dropped afterwards.
    mutating func set(_ share: inout Int, to octets: Int) {
        held += octets - share
        share = octets
    }

    /// The indices of the responses to drop.
    ///
    /// Frees an eighth of the limit more than needed, because every call examines every response and so must be rare.
    func choose(_ holders: [Holder]) -> [Int] {
        var sites = Self.sites(of: holders)
        var (chosen, left) = ([Int](), held)
        while left > limit - limit / 8, let most = sites.indices.max(by: { sites[$0].weight < sites[$1].weight }) {
            guard let oldest = sites[most].takeOldest() else {
                sites.remove(at: most)
                continue
            }
            left -= oldest.octets
            chosen.append(oldest.place)
        }
        return chosen
    }

    /// A response that may be dropped.
    private struct Entry {
        let place: Int
        let octets: Int
        let since: Int
    }

    /// The responses to one IPv6 network or IPv4 address.
    private struct Network {
        var octets = 0
        /// Entries with the oldest response last.
        var entries: [Entry] = []

        /// Order for dropping: the most octets first, then the oldest response.
        var weight: (Int, Int) { (octets, -(entries.last?.since ?? .max)) }
    }

    /// The responses to one IPv6 site or IPv4 address.
    private struct Site {
        private var octets = 0
        private var oldest = Int.max
        private var networks: [Network] = []

        var weight: (Int, Int) { (octets, -oldest) }

        mutating func add(_ network: Network) {
            octets += network.octets
            oldest = min(oldest, network.entries.last?.since ?? .max)
            networks.append(network)
        }

        /// Removes the oldest response of the network that holds most; nil when none is left.
        mutating func takeOldest() -> Entry? {
            while let most = networks.indices.max(by: { networks[$0].weight < networks[$1].weight }) {
                guard let entry = networks[most].entries.popLast() else {
                    networks.remove(at: most)
                    continue
                }
                networks[most].octets -= entry.octets
                octets -= entry.octets
                oldest = networks.reduce(.max) { min($0, $1.entries.last?.since ?? .max) }
                return entry
            }
            return nil
        }
    }

    private static func sites(of holders: [Holder]) -> [Site] {
        var networks: [IPAddress: Network] = [:]
        for (place, holder) in holders.enumerated().sorted(by: { $0.element.since > $1.element.since }) {
            let network = holder.client.network
            networks[network, default: Network()].octets += holder.octets
            guard holder.mayEnd else { continue }
            networks[network]?.entries.append(Entry(place: place, octets: holder.octets, since: holder.since))
        }
        var sites: [IPAddress: Site] = [:]
        for (address, network) in networks { sites[address.site ?? address, default: Site()].add(network) }
        return Array(sites.values)
    }
}
