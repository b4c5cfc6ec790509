import Testing

@testable import Audit

@Suite struct `Address ranges` {
    private static func contains(_ range: String, _ address: String) -> Bool? {
        guard let range = AddressRange(range), let octets = AddressRange(address)?.first else { return nil }
        return !octets.lexicographicallyPrecedes(range.first) && !range.last.lexicographicallyPrecedes(octets)
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7", true), ("203.0.113.7", "203.0.113.8", false),
        ("203.0.113.0/24", "203.0.113.255", true), ("203.0.113.77/24", "203.0.114.0", false),
        ("203.0.112.0/23", "203.0.113.1", true), ("0.0.0.0/0", "255.255.255.255", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/33", "2001:db8:8000::", false), ("::/0", "203.0.113.7", true),
        ("::ffff:203.0.113.7", "203.0.113.7", true), ("2001:db8::1/128", "2001:db8::1", true),
    ]) func `hold what lies in them`(range: String, address: String, isInside: Bool) {
        #expect(Self.contains(range, address) == isInside)
    }

    @Test(arguments: [
        "", "/", "203.0.113", "203.0.113.7/", "203.0.113.7/33", "203.0.113.7/-1", "203.0.113.7/+8", "::/129",
        "203.0.113.7/24/8", "host.example", "203.0.113.7 ", "1.2.3.4/99999999999999999999",
    ]) func `are not made of anything else`(text: String) { #expect(AddressRange(text) == nil) }
}
