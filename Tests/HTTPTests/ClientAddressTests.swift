import Testing

@testable import HTTP

@Suite struct `The client's address` {
    private func proxies(_ blocks: String...) -> TrustedProxies {
        TrustedProxies(blocks.compactMap { AddressBlock($0) })
    }

    @Test func `a mapped address is the address of IPv4`() throws {
        let plain = try #require(IPAddress("192.0.2.1"))
        let mapped = try #require(IPAddress("::ffff:192.0.2.1"))

        #expect(plain == mapped)
        #expect(mapped.description == "192.0.2.1")
        #expect(try #require(IPAddress("2001:DB8::0:1")).description == "2001:db8::1")
        #expect(try #require(IPAddress("127.8.9.1")).isLoopback)
        #expect(try #require(IPAddress("::1")).isLoopback)
        #expect(try #require(IPAddress("::")).isLoopback == false)
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "localhost", "::g", "1.2.3.4 ", "0x7f.1"])
    func `what is no address is refused`(text: String) { #expect(IPAddress(text) == nil) }

    @Test func `S9: a client's network is an address of IPv4, and 56 bits of IPv6`() throws {
        func network(_ text: String) throws -> String { try #require(IPAddress(text)).clientNetwork.description }

        #expect(try network("192.0.2.7") == "192.0.2.7")
        #expect(try network("2001:db8:1:12ff:3::4") == "2001:db8:1:1200::")
        #expect(try network("2001:db8:1:1300::4") == "2001:db8:1:1300::")
    }

    @Test func `the list is read from its end, as far as trust goes`() throws {
        let proxies = proxies("10.0.0.0/8", "127.0.0.1")
        let peer = try #require(IPAddress("127.0.0.1"))
        func client(_ lines: String...) -> String { proxies.client(behind: peer, forwardedFor: lines).description }

        #expect(client("192.0.2.1") == "192.0.2.1")
        #expect(client("6.6.6.6, 192.0.2.1") == "192.0.2.1")
        #expect(client("6.6.6.6, 192.0.2.1, 10.1.1.1") == "192.0.2.1")
        #expect(client("6.6.6.6", "192.0.2.1:4711,10.1.1.1") == "192.0.2.1")
        #expect(client("[2001:db8::1]:4711") == "2001:db8::1")
        #expect(client("6.6.6.6, unknown, 10.1.1.1") == "10.1.1.1")
        #expect(client("192.0.2.1,, ,10.1.1.1,") == "10.1.1.1")
        #expect(client("192.0.2.1,,10.1.1.1,,") == "192.0.2.1")
        // V42: so many proxies there are not, and each costs a look.
        #expect(client("192.0.2.1" + String(repeating: ",10.1.1.1", count: 31)) == "192.0.2.1")
        #expect(client("192.0.2.1" + String(repeating: ",10.1.1.1", count: 32)) == "10.1.1.1")
        #expect(client("") == "127.0.0.1")
        #expect(client() == "127.0.0.1")
    }

    @Test func `nobody is believed unless configured`() async throws {
        let forged = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"
        let seen: @Sendable (Request) -> Response = { .text("\($0.client) \($0.isSecure)") }
        try await withServer {
            $0.get(Route("/")) { seen($0) }
        } _: { server async throws in
            #expect(try server.get("/", forged).body == "127.0.0.1 false")
        }
        let trusted = proxies("127.0.0.0/8")
        try await withServer(options: { $0.trustedProxies = trusted }) {
            $0.get(Route("/")) { seen($0) }
        } _: { server async throws in
            #expect(try server.get("/", forged).body == "192.0.2.1 true")
            #expect(try server.get("/", "X-Forwarded-Proto: https, http\r\n").body == "127.0.0.1 false")
        }
    }
}

@Suite struct `Address ranges` {
    private static func contains(_ range: String, _ address: String) -> Bool? {
        guard let range = AddressBlock(range), let address = IPAddress(address) else { return nil }
        let octets = address.bytes
        #expect(
            range.contains(address)
                == (!octets.lexicographicallyPrecedes(range.first.bytes)
                    && !range.last.bytes.lexicographicallyPrecedes(octets)))
        return range.contains(address)
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7", true), ("203.0.113.7", "203.0.113.8", false),
        ("203.0.113.0/24", "203.0.113.255", true), ("203.0.113.77/24", "203.0.114.0", false),
        ("203.0.112.0/23", "203.0.113.1", true), ("0.0.0.0/0", "255.255.255.255", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/33", "2001:db8:8000::", false), ("::/0", "203.0.113.7", true),
        ("::ffff:203.0.113.7", "203.0.113.7", true), ("2001:db8::1/128", "2001:db8::1", true),
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::10.0.0.1", false),
        ("fd00::/8", "fdab::1", true), ("fd00::/8", "fc00::1", false), ("::/0", "2001:db8::1", true),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ]) func `hold what lies in them`(range: String, address: String, isInside: Bool) {
        #expect(Self.contains(range, address) == isInside)
    }

    @Test(arguments: [
        "", "/", "203.0.113", "203.0.113.7/", "203.0.113.7/33", "203.0.113.7/-1", "203.0.113.7/+8", "::/129",
        "203.0.113.7/24/8", "host.example", "203.0.113.7 ", "1.2.3.4/99999999999999999999", "10.0.0.0/33",
        "10.0.0.0/-1", "10.0.0.0/", "/8", "10.0.0.0/8/8", "10.0.0.0/x",
    ]) func `are not made of anything else`(text: String) { #expect(AddressBlock(text) == nil) }
}
