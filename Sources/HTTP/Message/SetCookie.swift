/// A cookie for the browser to store (RFC 6265 section 4.1).
public struct SetCookie: Sendable {
    /// Which cross-site requests carry the cookie.
    public enum SameSite: String, Sendable {
        case strict = "Strict"
        case lax = "Lax"
        case none = "None"
    }

    /// Reason why a cookie cannot be written.
    public enum Failure: Error, Equatable, Sendable {
        case name
        case value
        case attribute
    }

    /// The value of the `Set-Cookie` field.
    public let text: String

    /// Creates a cookie; without `maxAge` it expires with the browser's session, with zero at once.
    ///
    /// Throws when the name is not a token, or when the value or an attribute contains a disallowed character.
    public init(
        _ name: String, _ value: String, path: String = "/", domain: String? = nil, maxAge: Duration? = nil,
        isSecure: Bool = true, isHTTPOnly: Bool = true, sameSite: SameSite = .lax
    ) throws(Failure) {
        guard !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) else { throw .name }
        guard value.utf8.allSatisfy(Self.isCookieOctet) else { throw .value }
        guard Self.isAttribute(path) && Self.isAttribute(domain ?? "") else { throw .attribute }
        var text = "\(name)=\(value); Path=\(path)"
        if let domain { text += "; Domain=\(domain)" }
        if let maxAge { text += "; Max-Age=\(max(0, maxAge.components.seconds))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        text += "; SameSite=\(sameSite.rawValue)"
        self.text = text
    }

    /// A cookie that deletes an earlier one; path, domain and `Secure` must be those it was set with.
    public static func forget(_ name: String, path: String = "/", domain: String? = nil, isSecure: Bool = true)
        throws(Failure) -> SetCookie
    { try SetCookie(name, "", path: path, domain: domain, maxAge: .zero, isSecure: isSecure) }

    /// RFC 6265 section 4.1.1: printable ASCII without space, quote, comma, semicolon and backslash.
    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }

    private static func isAttribute(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") }
    }
}
