import Bytes
import Crypto
import Glibc

/// What one try at a password is counted under.
///
/// Names are hashed: the rows outlive the try, and anything can be typed into the field.
struct GuessCounters: Sendable {
    /// Nil for a browser known to the account, which answers for itself alone.
    let address: String?
    /// Of the address's site; nil beside no address, and where that stands for itself alone.
    let site: String?
    let account: String

    init(login: String, ip: String, knownBrowser: String?) {
        // As LoginName reads it where it can; what it cannot read is nobody's, yet is counted alike.
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

    private static func digest(_ text: String) -> String {
        Base64URL.encode(SHA256.hash(text))
    }

    /// One customer of a network: an IPv4 address, or the 64 bits an IPv6 host shares with nobody (RFC 6177), of
    /// which it may take as many addresses as it likes.
    static func network(of ip: String) -> String {
        guard let bytes = octets(of: ip) else { return ip.cut(toOctets: 64) }
        if isMapped(bytes) { return bytes[12...].map { String($0) }.joined(separator: ".") }
        return Hex.encode(bytes[..<8]) + "/64"
    }

    /// One site, to which a provider gives 48 bits (RFC 6177) and so 65,536 networks; nil for an IPv4 address.
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
