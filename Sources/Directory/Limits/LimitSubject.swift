import Bytes
import Crypto

/// What is counted, as the table keeps it.
///
/// What somebody typed is hashed: the rows outlive the try, and anything can be typed into a field.
public struct LimitSubject: Hashable, Sendable {
    let text: String

    private init(_ text: String) {
        self.text = text
    }

    /// Of one customer of a network.
    public static func address(_ kind: StaticString, _ ip: String) -> LimitSubject {
        LimitSubject("\(kind).address.\(GuessCounters.network(of: ip))")
    }

    /// How many addresses' allowances a site of IPv6 has together: it may be a household or a carrier.
    public static let addressesPerSite = 16

    /// Of a site with many networks of IPv6; nil for an IPv4 address.
    public static func site(_ kind: StaticString, _ ip: String) -> LimitSubject? {
        GuessCounters.site(of: ip).map { LimitSubject("\(kind).site.\($0)") }
    }

    /// Names where somebody comes from: the site of an IPv6 address, an address of IPv4.
    static func siteOrNetwork(_ ip: String) -> String {
        GuessCounters.site(of: ip) ?? GuessCounters.network(of: ip)
    }

    /// Of an account, by a name somebody typed.
    public static func account(_ kind: StaticString, _ name: String) -> LimitSubject {
        LimitSubject("\(kind).account.\(Base64URL.encode(SHA256.hash(name)))")
    }

    /// Of the whole team.
    public static func team(_ kind: StaticString) -> LimitSubject {
        LimitSubject("\(kind).team")
    }
}
