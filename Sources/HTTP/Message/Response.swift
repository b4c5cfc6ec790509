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
