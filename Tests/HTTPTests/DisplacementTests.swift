import Testing

@testable import HTTP

/// The rule by which a connection gives way to a new one.
@Suite struct `Who makes room` {
    private typealias Candidate = Displacement.Candidate

    private static let now = 100

    /// A client with so many connections, one of which has waited for so many ticks.
    private func awaited(_ count: Int, for ticks: Int) -> Candidate {
        Candidate(holding: Holding(site: count, network: count), isDelivered: false, since: Self.now - ticks)
    }

    private func delivered(_ count: Int, for ticks: Int) -> Candidate {
        Candidate(holding: Holding(site: count, network: count), isDelivered: true, since: Self.now - ticks)
    }

    private func choice(_ candidates: [Candidate], for newcomer: Int = 1) -> Int? {
        let newcomer = Holding(site: newcomer, network: newcomer)
        return Displacement(tick: Self.now, newcomer: newcomer).choose(candidates)
    }

    @Test func `V44: a client with many connections does, whatever it keeps them busy with`() {
        // Slow readers, beside a slow client that has one connection.
        #expect(choice([awaited(1, for: 10), delivered(800, for: 0), awaited(2, for: 14)]) == 1)
        // One that asks again every moment.
        #expect(choice([awaited(1, for: 10), awaited(800, for: 0)]) == 1)
        #expect(choice([awaited(3, for: 0), awaited(2, for: 9)]) == 0)
    }

    @Test func `V44: a client with many connections moves nobody else's, however many more it opens`() {
        // Its own are as young, and it holds no less: it is not taken.
        #expect(choice([awaited(1, for: 10), awaited(800, for: 0)], for: 800) == nil)
        #expect(choice([delivered(1, for: 10), delivered(800, for: 2)], for: 800) == nil)
        // It replaces its own.
        #expect(choice([awaited(1, for: 10), awaited(800, for: 1)], for: 800) == 1)
        #expect(choice([delivered(1, for: 10), delivered(800, for: 3)], for: 800) == 1)
    }

    @Test func `V44: among equals the one that has waited longest does, and an answer has two ticks more`() {
        #expect(choice([awaited(4, for: 3), awaited(4, for: 5), awaited(4, for: 4)], for: 4) == 1)
        // A slow reader goes before neighbours whose request is still coming.
        #expect(choice([awaited(4, for: 3), delivered(4, for: 20)], for: 4) == 1)
        #expect(choice([delivered(4, for: 4), awaited(4, for: 3)], for: 4) == 1)
        #expect(choice([delivered(4, for: 6), awaited(4, for: 3)], for: 4) == 0)
    }

    @Test func `V44: a crowd of equals that have only just come stays`() {
        #expect(choice([awaited(1, for: 0), awaited(1, for: 0), delivered(1, for: 2)]) == nil)
        #expect(choice([awaited(1, for: 0), awaited(1, for: 1)]) == 1)
        #expect(choice([delivered(1, for: 3)]) == 0)
        #expect(choice([]) == nil)
    }

    @Test func `V44: a site of IPv6 counts as one, and within it its networks`() {
        func candidate(site: Int, network: Int) -> Candidate {
            Candidate(holding: Holding(site: site, network: network), isDelivered: false, since: Self.now - 1)
        }
        // Thousands of networks with one connection each, against an address with a few.
        #expect(choice([awaited(6, for: 9), candidate(site: 2000, network: 1)]) == 1)
        // A phone among those of its provider.
        let phones = [candidate(site: 900, network: 2), candidate(site: 900, network: 800)]
        #expect(Displacement(tick: Self.now, newcomer: Holding(site: 900, network: 1)).choose(phones) == 1)
    }

    private func count(limit: Int = 4096, proxies: [String] = [], _ change: (inout ServerOptions) -> Void = { _ in })
        throws -> ConnectionCount
    {
        var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        options.connectionLimit = limit
        options.trustedProxies = TrustedProxies(try proxies.map { try #require(AddressBlock($0)) })
        change(&options)
        return ConnectionCount(options)
    }

    @Test func `V44: eight networks of one site take half of all connections, and others are taken`() throws {
        let count = try count()
        func add(_ text: String) throws -> ConnectionCount.Rejection? {
            count.add(try #require(IPAddress(text)), makesRoom: { _ in false })
        }
        var refused = 0
        for network in 0..<8 {
            for host in 0..<1024 {
                let refusal = try add("2001:db8:1:\(network)::\(String(host, radix: 16))")
                if refusal == .site { refused += 1 }
            }
        }
        #expect(refused == 6 * 1024 && count.figures.refusedBySite == refused && count.figures.now == 2048)
        #expect(count.figures.lastRefusedOfSite == IPAddress("2001:db8:1:7::3ff"))
        #expect(try add("2001:db8:2::1") == nil)
        #expect(try add("192.0.2.1") == nil)
        // What it gives up it may have again.
        count.remove(try #require(IPAddress("2001:db8:1:1::")))
        #expect(try add("2001:db8:1:9::1") == nil)
        #expect(try add("2001:db8:1:9::2") == .site)
    }

    @Test func `V44: a connection that makes room for a descriptor is counted, too`() throws {
        let count = try count()
        count.noteExhaustion(hasDisplaced: true)
        count.noteExhaustion(hasDisplaced: false)
        #expect(count.figures.exhaustions == 2 && count.figures.displaced == 1)
    }

    @Test func `V44: trusted proxies hold nothing, whatever comes from their network`() throws {
        let count = try count(limit: 5, proxies: ["2001:db8::1", "10.0.0.0/8"])
        let peers = try ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.1.1.1", "192.0.2.1"].map {
            try #require(IPAddress($0))
        }
        for peer in peers { #expect(count.add(peer, makesRoom: { _ in false }) == nil) }
        #expect(
            count.holdings(of: peers) == [
                Holding(), Holding(site: 2, network: 1), Holding(site: 2, network: 1), Holding(), .one,
            ])
        var newcomers: [Holding] = []
        for text in ["192.0.2.1", "10.1.1.1", "2001:db8::2"] {
            _ = count.add(try #require(IPAddress(text))) {
                newcomers.append($0)
                return false
            }
        }
        #expect(newcomers == [Holding(site: 2, network: 2), Holding(), Holding(site: 3, network: 2)])
        for peer in peers { count.remove(peer) }
        #expect(count.holdings(of: peers).allSatisfy { $0 == Holding() } && count.figures.now == 0)
    }
}
