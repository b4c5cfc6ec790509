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
