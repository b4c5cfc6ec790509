import Core
import Crypto
import HTTP

/// Key of a count: the network, account or other owner that uses a limit.
public struct LimitKey: Hashable, Sendable {
    private let scope: RateLimit.Scope
    private let text: String

    /// A long text is hashed, so that no key takes more memory than another.
    private init(_ scope: RateLimit.Scope, _ parts: String...) {
        self.scope = scope
        let joined = parts.joined(separator: "\n")
        text = joined.utf8.count <= 128 ? joined : Base64URL.encode(SHA256.hash(joined))
    }

    /// Key in the table: hashed, because rows outlive the request and a name may be any text.
    public var stored: String {
        scope == .team ? scope.rawValue : "\(scope.rawValue).\(Base64URL.encode(SHA256.hash(text)))"
    }

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
    /// - Parameters:
    ///   - cause: why the mail is sent, where one cause must leave room for another.
    ///   - sender: who causes it, with a count of its own, so that nobody uses up what others may send to an address.
    public static func recipient(_ address: String, for cause: MailCause, by sender: LimitKey) -> LimitKey {
        LimitKey(.recipient, cause.rawValue, sender.stored, address.lowercased())
    }
    public static func host(_ name: String) -> LimitKey { LimitKey(.host, name.lowercased()) }
    public static var team: LimitKey { LimitKey(.team) }
    public static func cause(_ name: String) -> LimitKey { LimitKey(.cause, name) }

    /// Causes of mail with a count of their own, so that what strangers ask for suppresses no alert and no invitation.
    public enum MailCause: String, Sendable {
        /// Somebody asked for it who is not signed in.
        case request
        /// A member or a user sent it.
        case sender
        /// A new browser has signed in.
        case alert
        /// The account was changed.
        case change
    }

    /// Text of the network of a customer: an IPv4 address, or the 56-bit prefix of an IPv6 address (RFC 6177).
    public static func networkPrefix(of ip: String) -> String {
        IPAddress(ip)?.clientNetwork.description ?? ip.cut(toOctets: 64)
    }
}
