import EventLoop
import Testing

@testable import HTTP

@Suite struct `The guard on addresses` {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::127.0.0.1", "fe80::1", "fe80::1%eth0",
        "fec0::1", "fc00::1", "fdff::1", "ff02::1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1",
        "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1",
    ]) func `what is not of the public Internet is refused`(text: String) throws {
        let address = try #require(PeerAddress(text))

        #expect(!AddressPolicy.publicOnly.allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "17.253.144.10", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.3.1",
        "198.17.0.1", "198.20.0.1", "223.255.255.255", "2620:149:af0::10", "2a00:1450::1", "2001:4860::1",
        "64:ff9b::8.8.8.8",
    ]) func `what is of the public Internet is taken`(text: String) throws {
        let address = try #require(PeerAddress(text))

        #expect(AddressPolicy.publicOnly.allows(address))
    }

    @Test func `loopback is taken where it is allowed, and nothing private with it`() throws {
        let allowed = ["127.0.0.1", "127.9.9.9", "::1", "8.8.8.8"].compactMap { PeerAddress($0) }
        let refused = ["10.0.0.1", "::ffff:127.0.0.1", "::", "0.0.0.0", "169.254.169.254"].compactMap {
            PeerAddress($0)
        }

        #expect(allowed.map(AddressPolicy.publicAndLoopback.allows) == [true, true, true, true])
        #expect(refused.map(AddressPolicy.publicAndLoopback.allows) == [false, false, false, false, false])
    }

    @Test func `no spelling of this machine passes`() async throws {
        let spellings = [
            "127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "localhost", "[::1]", "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]", "0", "0.0.0.0", "[::]",
        ]
        try await withClient {
            $0.get(Route("/")) { _ in .text("secret") }
        } _: { test async throws in
            for host in spellings {
                let failure = await test.failure(.get("http://\(host):\(test.port)/", addresses: .publicOnly))
                if case .addressRefused = failure { continue }
                Issue.record("\(host) was not refused: \(String(describing: failure))")
            }
        }
    }

    @Test func `a redirect does not lead past the guard`() async throws {
        try await withClient {
            $0.get(Route("/:host", String.self)) { _, host in .redirect(to: "http://\(host)/latest/meta-data/") }
        } _: { test async throws in
            for host in ["169.254.169.254", "10.255.255.1", "192.168.255.255"] {
                await #expect(throws: ClientFailure.addressRefused(host)) {
                    _ = try await test.send("GET", "/\(host)") { $0.redirectLimit = 3 }
                }
            }
        }
    }

    @Test func `a redirect does not lead to another scheme`() async throws {
        try await withClient {
            $0.get(Route("/")) { _ in .redirect(to: "file:///etc/passwd") }
        } _: { test async throws in
            await #expect(throws: ClientFailure.malformedRequest) {
                _ = try await test.send("GET", "/") { $0.redirectLimit = 3 }
            }
        }
    }

    @Test func `an open connection of a wider request is not lent to a narrower one`() async throws {
        try await withClient {
            $0.get(Route("/")) { _ in .text("secret") }
        } _: { test async throws in
            #expect(try await test.send("GET", "/").status == 200)
            await #expect(throws: ClientFailure.addressRefused("127.0.0.1")) {
                _ = try await test.send("GET", "/") { $0.addresses = .publicOnly }
            }
            #expect(try await test.send("GET", "/").status == 200)
        }
    }
}
