/// The octets of answers that a loop holds until their clients have taken them.
///
/// A client may take its time over an answer, and so could fill the memory with many. Beyond the budget answers are given
/// up: those of the client that holds most octets, and of these the one that has waited longest. So a client that reads
/// nothing, on however many connections, costs nobody but itself, and the memory stays bounded.
struct DeliveryBudget {
    /// An answer that has not been taken.
    struct Holder {
        let client: IPAddress
        let octets: Int
        /// Its number among all answers.
        let since: Int
        /// Whether it may be given up.
        var mayEnd = true
    }

    let limit: Int
    private(set) var held = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isExceeded: Bool { held > limit }

    /// Makes a share as large as `octets`; none is refused, others give way afterwards.
    mutating func set(_ share: inout Int, to octets: Int) {
        held += octets - share
        share = octets
    }

    /// The places of the answers that are given up.
    ///
    /// Some more than are needed: every answer is looked at, which is to be seldom.
    func choose(_ holders: [Holder]) -> [Int] {
        var sites = Self.sites(of: holders)
        var (chosen, left) = ([Int](), held)
        while left > limit - limit / 8,
            let most = sites.indices.max(by: { sites[$0].weight < sites[$1].weight })
        {
            guard let oldest = sites[most].takeOldest() else {
                sites.remove(at: most)
                continue
            }
            left -= oldest.octets
            chosen.append(oldest.place)
        }
        return chosen
    }

    /// An answer that may be given up.
    private struct Entry {
        let place: Int
        let octets: Int
        let since: Int
    }

    /// What comes from one network of IPv6, or one address of IPv4.
    private struct Network {
        var octets = 0
        /// The oldest last.
        var entries: [Entry] = []

        /// Among those who hold as many octets the one with the oldest answer weighs most.
        var weight: (Int, Int) { (octets, -(entries.last?.since ?? .max)) }
    }

    /// What comes from one site of IPv6, or one address of IPv4.
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

        /// Takes out the oldest answer of the network that holds most; nil where there is none left.
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
            networks[network]?.entries.append(
                Entry(place: place, octets: holder.octets, since: holder.since)
            )
        }
        var sites: [IPAddress: Site] = [:]
        for (address, network) in networks { sites[address.site ?? address, default: Site()].add(network) }
        return Array(sites.values)
    }
}
