import Bytes
import Crypto

/// Key of a counter, as stored in the table.
///
/// User input is hashed, because the rows outlive the request and a field accepts any text.
public struct LimitSubject: Hashable, Sendable {
    let text: String

    private init(_ text: String) { self.text = text }

    /// Counter of one customer's network: an IPv4 address, or the /64 prefix of an IPv6 address.
    public static func address(_ kind: StaticString, _ ip: String) -> LimitSubject {
        LimitSubject("\(kind).address.\(GuessCounters.network(of: ip))")
    }

    /// Number of addresses whose limits an IPv6 site has together, because it may be a household or a carrier.
    public static let addressesPerSite = 16

    /// Counter of an IPv6 site with its many networks; nil for an IPv4 address.
    public static func site(_ kind: StaticString, _ ip: String) -> LimitSubject? {
        GuessCounters.site(of: ip).map { LimitSubject("\(kind).site.\($0)") }
    }

    /// Site of an IPv6 address, or an IPv4 address.
    static func siteOrNetwork(_ ip: String) -> String { GuessCounters.site(of: ip) ?? GuessCounters.network(of: ip) }

    /// Counter of an account, by a name from user input.
    public static func account(_ kind: StaticString, _ name: String) -> LimitSubject {
        LimitSubject("\(kind).account.\(Base64URL.encode(SHA256.hash(name)))")
    }

    /// Counter of the whole team.
    public static func team(_ kind: StaticString) -> LimitSubject { LimitSubject("\(kind).team") }
}
