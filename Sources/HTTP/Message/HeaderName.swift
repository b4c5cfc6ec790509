internal import Core

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
    public static let referer = HeaderName("Referer")
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
