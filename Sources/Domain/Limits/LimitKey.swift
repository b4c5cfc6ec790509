import Bytes
import Crypto
import Glibc

/// Key of a count: the network, account or other owner that uses a limit.
public struct LimitKey: Hashable, Sendable {
    private let scope: RateLimit.Scope
    private let text: String

    private init(_ scope: RateLimit.Scope, _ parts: String...) {
        self.scope = scope
        text = parts.joined(separator: "\n")
    }

    /// Key in the table: hashed, because rows outlive the request and a name may be any text.
    var stored: String { scope == .team ? scope.rawValue : "\(scope.rawValue).\(Base64URL.encode(SHA256.hash(text)))" }

    /// Network of a customer: an IPv4 address, or the 56-bit prefix of an IPv6 address (RFC 6177).
    public static func network(_ ip: String) -> LimitKey { LimitKey(.network, networkPrefix(of: ip)) }
    public static func account(_ subject: Subject) -> LimitKey { LimitKey(.account, subject.rawValue) }
    /// An account by the login name that was entered, which may be no account's.
    ///
    /// - Parameter knownBrowser: secret of a browser in which the account has signed in before, with its own count.
    public static func login(_ name: String, knownBrowser: String? = nil) -> LimitKey {
        LimitKey(.account, "login", name, knownBrowser ?? "")
    }
    public static func session(_ id: String) -> LimitKey { LimitKey(.session, id) }
    public static func signIn(_ id: String, of subject: Subject) -> LimitKey { LimitKey(.signIn, subject.rawValue, id) }
    public static func client(_ id: ClientID) -> LimitKey { LimitKey(.client, id.rawValue) }
    /// - Parameter cause: why the mail is sent, where one cause must leave room for another.
    public static func recipient(_ address: String, for cause: MailCause) -> LimitKey {
        LimitKey(.recipient, cause.rawValue, address.lowercased())
    }
    public static func host(_ name: String) -> LimitKey { LimitKey(.host, name.lowercased()) }
    public static var team: LimitKey { LimitKey(.team) }
    public static func cause(_ name: String) -> LimitKey { LimitKey(.cause, name) }

    /// Causes of mail with a count of their own, so that what strangers ask for suppresses no alert and no invitation.
    public enum MailCause: String, Sendable {
        /// An unauthenticated client asked for it.
        case request
        /// A browser asked for it in which the account has signed in before.
        case knownBrowser
        /// A member or a user sent it.
        case sender
        /// The account was used or changed.
        case alert
    }

    private static func networkPrefix(of ip: String) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, ip, &address) == 1 else { return ip.cut(toOctets: 64) }
        let octets = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
        // An IPv4 address in IPv6 notation (RFC 4291 section 2.5.5.2).
        if octets[..<10].allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
            return octets[12...].map { String($0) }.joined(separator: ".")
        }
        return Hex.encode(octets[..<7])
    }
}
