internal import Core

/// A header field of a response.
///
/// A value with a control character is never sent: the server responds with 500 instead, so that untrusted text cannot
/// start a second field.
public struct HeaderField: Equatable, Sendable {
    public let name: HeaderName
    public let value: String

    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the value may stand in a field line (RFC 9110 section 5.5).
    var isSendable: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension String {
    /// Decodes the value of a header field, which may be any octets (RFC 9110 section 5.5).
    ///
    /// In a value that is not stream-safe text, every octet beyond ASCII becomes a question mark, so that no later
    /// operation on it costs more than its length.
    init(fieldValue octets: some Collection<UInt8>) {
        let text = String(decoding: octets, as: UTF8.self)
        self =
            text.isStreamSafe
            ? text : String(decoding: octets.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

/// The name of a header field, written once in the source so that it can be neither mistyped nor injected.
public struct HeaderName: Sendable {
    let literal: StaticString

    /// Creates a further name for the application; only literals are accepted.
    public init(_ literal: StaticString) { self.literal = literal }

    /// The name as text.
    public var text: String { literal.description }

    public static let accept = HeaderName("Accept")
    public static let acceptEncoding = HeaderName("Accept-Encoding")
    public static let acceptLanguage = HeaderName("Accept-Language")
    public static let allow = HeaderName("Allow")
    public static let authorization = HeaderName("Authorization")
    public static let cacheControl = HeaderName("Cache-Control")
    public static let connection = HeaderName("Connection")
    public static let contentDisposition = HeaderName("Content-Disposition")
    public static let contentEncoding = HeaderName("Content-Encoding")
    public static let contentLength = HeaderName("Content-Length")
    public static let contentSecurityPolicy = HeaderName("Content-Security-Policy")
    public static let contentType = HeaderName("Content-Type")
    public static let cookie = HeaderName("Cookie")
    public static let expect = HeaderName("Expect")
    public static let forwardedFor = HeaderName("X-Forwarded-For")
    public static let forwardedProto = HeaderName("X-Forwarded-Proto")
    public static let host = HeaderName("Host")
    public static let location = HeaderName("Location")
    public static let origin = HeaderName("Origin")
    public static let permissionsPolicy = HeaderName("Permissions-Policy")
    public static let pragma = HeaderName("Pragma")
    public static let referrerPolicy = HeaderName("Referrer-Policy")
    public static let requestID = HeaderName("X-Request-Id")
    public static let retryAfter = HeaderName("Retry-After")
    public static let secFetchSite = HeaderName("Sec-Fetch-Site")
    public static let setCookie = HeaderName("Set-Cookie")
    public static let strictTransportSecurity = HeaderName("Strict-Transport-Security")
    public static let transferEncoding = HeaderName("Transfer-Encoding")
    public static let userAgent = HeaderName("User-Agent")
    public static let vary = HeaderName("Vary")
    public static let wwwAuthenticate = HeaderName("WWW-Authenticate")
    public static let xContentTypeOptions = HeaderName("X-Content-Type-Options")
}

extension HeaderName: Hashable {
    /// Field names are case-insensitive (RFC 9110 section 5.1).
    public static func == (left: HeaderName, right: HeaderName) -> Bool {
        right.literal.withUTF8Buffer { unsafe left.matches($0.span) }
    }

    public func hash(into hasher: inout Hasher) {
        literal.withUTF8Buffer { bytes in
            for index in bytes.indices { unsafe hasher.combine(ASCII.lowercase(bytes[index])) }
        }
    }

    /// Whether `name`, as received, is this name.
    func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == literal.utf8CodeUnitCount else { return false }
        return literal.withUTF8Buffer { bytes in
            for index in name.indices {
                guard unsafe ASCII.lowercase(bytes[index]) == ASCII.lowercase(name[index]) else { return false }
            }
            return true
        }
    }
}

/// The header fields of a request, copied into one buffer.
struct HeaderBlock: Sendable {
    private struct Line {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        let start = bytes.count
        unsafe bytes.append(contentsOf: name)
        let nameEnd = bytes.count
        // libmicrohttpd does not remove whitespace after a value.
        unsafe bytes.append(contentsOf: ASCII.trim(value))
        lines.append(Line(start: start, nameEnd: nameEnd, end: bytes.count))
    }

    /// The values of all fields of that name, in the order received.
    func values(of name: HeaderName) -> [String] {
        lines.compactMap { line in
            let wireName = bytes.span.extracting(line.start..<line.nameEnd)
            return name.matches(wireName) ? text(line.nameEnd..<line.end) : nil
        }
    }

    var all: [(name: String, value: String)] { lines.map { (text($0.start..<$0.nameEnd), text($0.nameEnd..<$0.end)) } }

    private func text(_ range: Range<Int>) -> String { String(fieldValue: bytes[range]) }
}

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
