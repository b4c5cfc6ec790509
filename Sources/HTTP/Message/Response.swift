/// The response of a handler.
///
/// The server adds `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection`.
public struct Response: Sendable {
    public var status: Status
    /// Header fields in the order they are sent.
    public var fields: [HeaderField]
    public var body: [UInt8]
    /// Producer of the body while it is sent, in place of `body`.
    public let stream: BodyStream?
    /// The prepared response to send in place of the properties above.
    let prepared: PreparedResponse?

    public init(_ status: Status = .ok, fields: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
        stream = nil
        prepared = nil
    }

    /// Creates a response of any length, whose body is produced while it is sent.
    public init(_ status: Status = .ok, fields: [HeaderField] = [], stream: BodyStream) {
        self.status = status
        self.fields = fields
        self.stream = stream
        body = []
        prepared = nil
    }

    /// Creates a response that sends a prepared one, without a copy.
    ///
    /// Later changes to it are not sent.
    public init(_ prepared: PreparedResponse) {
        status = prepared.status
        fields = []
        body = []
        stream = nil
        self.prepared = prepared
    }

    /// Adds a field after those of the same name.
    public mutating func append(_ name: HeaderName, _ value: String) { fields.append(HeaderField(name, value)) }

    /// Replaces all fields of the same name with one field.
    public mutating func set(_ name: HeaderName, _ value: String) {
        fields.removeAll { $0.name == name }
        fields.append(HeaderField(name, value))
    }

    /// The first value of a field.
    public subscript(_ name: HeaderName) -> String? { fields.first { $0.name == name }?.value }

    /// Adds a cookie.
    public mutating func set(_ cookie: SetCookie) { append(.setCookie, cookie.text) }
}

// Common responses.
extension Response {
    public static func html(_ body: [UInt8], status: Status = .ok) -> Response {
        Response(status, fields: [HeaderField(.contentType, "text/html; charset=utf-8")], body: body)
    }

    public static func json(_ body: [UInt8], status: Status = .ok) -> Response {
        Response(status, fields: [HeaderField(.contentType, "application/json")], body: body)
    }

    public static func text(_ body: String, status: Status = .ok) -> Response {
        let type = HeaderField(.contentType, "text/plain; charset=utf-8")
        return Response(status, fields: [type], body: Array(body.utf8))
    }

    /// Redirects the browser: with 303 it uses GET after any method, with 302 it chooses the method itself.
    public static func redirect(to location: String, status: Status = .seeOther) -> Response {
        Response(status, fields: [HeaderField(.location, location)])
    }

    /// Response to HEAD for a GET that was not performed: 204, because the length of its body is unknown, which no other
    /// status can leave open (RFC 9110 section 8.6).
    static var unaskedGet: Response { Response(.noContent, fields: [HeaderField(.cacheControl, "no-store")]) }

    public static func empty(_ status: Status = .noContent) -> Response { Response(status) }
}

/// A status code (RFC 9110 section 15).
public struct Status: Hashable, Sendable {
    public let code: UInt16

    public init(_ code: UInt16) { self.code = code }

    public static let ok = Status(200)
    public static let created = Status(201)
    public static let accepted = Status(202)
    public static let noContent = Status(204)
    public static let found = Status(302)
    public static let seeOther = Status(303)
    public static let badRequest = Status(400)
    public static let unauthorized = Status(401)
    public static let forbidden = Status(403)
    public static let notFound = Status(404)
    public static let methodNotAllowed = Status(405)
    public static let conflict = Status(409)
    public static let gone = Status(410)
    public static let contentTooLarge = Status(413)
    public static let unsupportedMediaType = Status(415)
    public static let misdirectedRequest = Status(421)
    public static let unprocessableContent = Status(422)
    public static let tooManyRequests = Status(429)
    public static let headerFieldsTooLarge = Status(431)
    public static let internalServerError = Status(500)
    public static let serviceUnavailable = Status(503)
    public static let versionNotSupported = Status(505)
}

/// An error that the server responds with before or in place of a handler.
///
/// The application makes the response (`Application.decorate`); a handler may throw one too.
public enum HTTPError: Error, Sendable {
    /// The request line, the header fields or a multipart body is malformed.
    case badRequest
    /// The request is for a host that the server does not accept (RFC 9110 section 15.5.20).
    case misdirected
    /// No route matches the path.
    case notFound
    /// A route matches the path, but not the method.
    case methodNotAllowed(allow: String)
    /// The body is longer than its route allows.
    case contentTooLarge(limit: Int)
    /// The route does not accept the body's media type.
    case unsupportedMediaType
    /// The request line and header fields are longer than the server allows.
    case headerFieldsTooLarge
    /// The HTTP version is neither 1.0 nor 1.1.
    case versionNotSupported
    /// The handler took longer than the server allows.
    case deadlinePassed
    /// The client's network has too many requests in flight, no memory is left for the body, or the server is stopping.
    case overloaded
    /// The handler failed with another error, which only the application can interpret.
    case failed(any Error)

    /// The status to use when the application chooses no other.
    public var status: Status { meaning.status }

    /// A plain-text response that names the error.
    public var response: Response { .text(meaning.words + "\n", status: status) }

    private var meaning: (status: Status, words: String) {
        switch self {
        case .badRequest: (.badRequest, "Bad request")
        case .misdirected: (.misdirectedRequest, "Misdirected request: this server has another host name")
        case .notFound: (.notFound, "Not found")
        case .methodNotAllowed: (.methodNotAllowed, "Method not allowed")
        case .contentTooLarge(let limit): (.contentTooLarge, "Content too large: at most \(limit) octets")
        case .unsupportedMediaType: (.unsupportedMediaType, "Unsupported media type")
        case .headerFieldsTooLarge: (.headerFieldsTooLarge, "Header fields too large")
        case .versionNotSupported: (.versionNotSupported, "HTTP version not supported")
        case .deadlinePassed, .overloaded: (.serviceUnavailable, "Service unavailable")
        case .failed: (.internalServerError, "Internal server error")
        }
    }
}
