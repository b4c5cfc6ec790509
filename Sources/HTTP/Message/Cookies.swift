/// The cookies a browser sent (RFC 6265 section 5.4).
///
/// Anything other than `name=value` is skipped, because other sites on the same host may have set it.
public struct Cookies: Sendable {
    private let lines: [String]

    /// Takes the values of the `Cookie` fields.
    public init(_ lines: [String]) { self.lines = lines }

    /// The first value sent under `name`.
    ///
    /// Browsers send the cookie with the longest path first, so the first is the most specific.
    public subscript(_ name: String) -> String? { pairs(named: name, limit: 1).first }

    /// Every value sent under `name`; more than one means that two paths or domains set it.
    public func values(named name: String) -> [String] { pairs(named: name, limit: .max) }

    /// The name of every cookie, in the order received.
    public var names: [String] {
        lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            pair.firstIndex(of: UInt8(ascii: "=")).map { String(decoding: ASCII.trim(pair[..<$0]), as: UTF8.self) }
        }
    }

    private func pairs(named name: String, limit: Int) -> [String] {
        var found: [String] = []
        for line in lines {
            for pair in line.utf8.split(separator: UInt8(ascii: ";")) {
                guard let value = Self.value(of: pair, named: name) else { continue }
                found.append(value)
                if found.count == limit { return found }
            }
        }
        return found
    }

    private static func value(of pair: Substring.UTF8View, named name: String) -> String? {
        let pair = ASCII.trim(pair)
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        guard ASCII.trim(pair[..<equals]).elementsEqual(name.utf8) else { return nil }
        var value = ASCII.trim(pair[pair.index(after: equals)...])
        if value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"") {
            value = value.dropFirst().dropLast()
        }
        return String(Substring(value))
    }
}

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
