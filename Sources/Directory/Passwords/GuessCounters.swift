import Bytes
import Crypto
import Glibc

/// Keys of the counters for one password try.
///
/// Names are hashed, because the rows outlive the request and the field accepts any text.
struct GuessCounters: Sendable {
    /// Network address; nil for a browser known to the account, which has its own counter only.
    let address: String?
    /// Site of the network address; nil without an address, and for IPv4.
    let site: String?
    let account: String

    init(login: String, ip: String, knownBrowser: String?) {
        // Normalized like `LoginName` if possible; an invalid name belongs to no account, yet is counted too.
        let name = LoginName(rawValue: login)?.rawValue ?? login
        if let knownBrowser {
            (address, site) = (nil, nil)
            account = "password.browser." + Self.digest(name + "\n" + knownBrowser)
        } else {
            address = "password.address." + Self.network(of: ip)
            site = Self.site(of: ip).map { "password.site." + $0 }
            account = "password.account." + Self.digest(name)
        }
    }

    private static func digest(_ text: String) -> String { Base64URL.encode(SHA256.hash(text)) }

    /// Network of one customer: an IPv4 address, or the 64-bit prefix of an IPv6 host (RFC 6177).
    ///
    /// An IPv6 host shares its prefix with no other and may use any number of addresses in it.
    static func network(of ip: String) -> String {
        guard let bytes = octets(of: ip) else { return ip.cut(toOctets: 64) }
        if isMapped(bytes) { return bytes[12...].map { String($0) }.joined(separator: ".") }
        return Hex.encode(bytes[..<8]) + "/64"
    }

    /// Site of an IPv6 address: 48 bits from a provider (RFC 6177), so 65,536 networks; nil for an IPv4 address.
    static func site(of ip: String) -> String? {
        guard let bytes = octets(of: ip), !isMapped(bytes) else { return nil }
        return Hex.encode(bytes[..<6]) + "/48"
    }

    private static func octets(of ip: String) -> [UInt8]? {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, ip, &address) == 1 else { return nil }
        return unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
    }

    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }
}
