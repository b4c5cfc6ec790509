/// What a handler answers.
///
/// `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection` are the server's to add.
public struct Response: Sendable {
    public var status: Status
    /// In the order they are sent.
    public var fields: [HeaderField]
    public var body: [UInt8]
    /// What makes the body while it is sent, in place of `body`.
    public let stream: BodyStream?
    /// The answer kept ready by the server, in place of the three above.
    let prepared: PreparedResponse?

    public init(_ status: Status = .ok, fields: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
        stream = nil
        prepared = nil
    }

    /// An answer of any length, made while it is sent.
    public init(_ status: Status = .ok, fields: [HeaderField] = [], stream: BodyStream) {
        self.status = status
        self.fields = fields
        self.stream = stream
        body = []
        prepared = nil
    }

    /// An answer that was made once and is sent again and again without being copied.
    ///
    /// What is changed on it afterwards is not sent.
    public init(_ prepared: PreparedResponse) {
        status = prepared.status
        fields = []
        body = []
        stream = nil
        self.prepared = prepared
    }

    /// Adds a field, after any of the same name.
    public mutating func append(_ name: HeaderName, _ value: String) {
        fields.append(HeaderField(name, value))
    }

    /// Puts one field in place of all of the same name.
    public mutating func set(_ name: HeaderName, _ value: String) {
        fields.removeAll { $0.name == name }
        fields.append(HeaderField(name, value))
    }

    /// The first value of a field.
    public subscript(_ name: HeaderName) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Adds a cookie.
    public mutating func set(_ cookie: SetCookie) {
        append(.setCookie, cookie.text)
    }
}

// The usual answers.
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

    /// Sends the browser elsewhere: 303 makes a GET of any method, 302 leaves that to the browser.
    public static func redirect(to location: String, status: Status = .seeOther) -> Response {
        Response(status, fields: [HeaderField(.location, location)])
    }

    public static func empty(_ status: Status = .noContent) -> Response {
        Response(status)
    }
}
