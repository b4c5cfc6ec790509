public import Bytes

/// One request, its head and its whole body.
///
/// The header fields stay where libmicrohttpd read them for as long as the handler has not suspended, which
/// spares the copy for every request that is answered at once. At the first suspension they are copied out
/// in one piece: a deadline may then answer and end the request while its handler is still running, and what
/// the handler asks afterwards must neither be freed memory nor look absent.
// @unchecked Sendable: created, read and changed on the thread of its server's loop alone; a handler lives
// there too. What a handler passes elsewhere are values taken out of it.
public final class Request: @unchecked Sendable {
    public let method: Method
    public let id: RequestID
    /// When its head was complete.
    public let received: ContinuousClock.Instant
    /// The body, at most as long as its route allows.
    public internal(set) var body: [UInt8] = []
    /// How long the body is said to be, in octets; nil where it comes in chunks.
    var bodyLength: Int? = 0
    /// Whether its route has judged the head and lets the body come.
    var isAdmitted = false
    /// Whether the client waits for our sign before it sends the body.
    var isHeldBack = false
    /// The files of a body in `multipart/form-data`.
    public internal(set) var uploads: [Upload] = []
    /// The other fields of such a body.
    var multipartForm: Form?

    let target: Target?
    let peer: IPAddress
    let proxies: TrustedProxies
    let isEncrypted: Bool
    var captures = Captures()
    var action: Action?
    /// Of a path whose routes take other methods.
    var pathPattern: String?

    /// The connection that waits for the answer; nil once it has one.
    var connection: Connection?
    private var copiedHead: HeaderBlock?

    init(
        method: Method,
        id: RequestID,
        rawTarget: [UInt8],
        connection: Connection,
        proxies: TrustedProxies
    ) {
        self.method = method
        self.id = id
        target = Target(rawTarget)
        received = .now
        peer = connection.peer
        isEncrypted = connection.isEncrypted
        self.proxies = proxies
        self.connection = connection
    }

    /// The path as it came, without the query; percent escapes are not decoded.
    public var path: String { String(decoding: target?.path ?? [], as: UTF8.self) }

    /// The octets between the question mark and the end.
    public var queryBytes: ArraySlice<UInt8> { target?.query ?? [] }

    /// The pattern of the route that answers, as `/console/:team`, or would for another method; nil when none does.
    public var routePattern: String? { action?.pattern ?? pathPattern }

    /// Copies the head, so that it outlives the connection's buffer.
    func copyHead() {
        if copiedHead == nil { copiedHead = connection?.head.copy() }
    }
}

// The header fields.
extension Request {
    /// The first value of a field; octets that are not UTF-8 are replaced.
    ///
    /// They are not taken for absence: a check that runs only when a field is there must run.
    public subscript(_ name: HeaderName) -> String? {
        if let copiedHead { return copiedHead.values(of: name).first }
        return connection?.head.value(of: name)
    }

    /// The values of all fields of that name, in the order of the wire.
    public func values(of name: HeaderName) -> [String] {
        if let copiedHead { return copiedHead.values(of: name) }
        return connection?.head.copy().values(of: name) ?? []
    }

    /// All fields, in the order of the wire.
    public var fields: [(name: String, value: String)] {
        (copiedHead ?? connection?.head.copy())?.all ?? []
    }

    /// Whether a body of that media type came with the request.
    public func hasContentType(_ type: MediaType) -> Bool {
        self[.contentType].map(type.matches) ?? false
    }

    /// The cookies of the browser.
    public var cookies: Cookies { Cookies(values(of: .cookie)) }
}

// Who asked.
extension Request {
    /// The address the request came from, behind those proxies that are trusted.
    public var client: IPAddress {
        guard proxies.contains(peer) else { return peer }
        return proxies.client(behind: peer, forwardedFor: values(of: .forwardedFor))
    }

    /// Whether the client's connection is encrypted, as far as this is known here.
    public var isSecure: Bool {
        isEncrypted || proxies.isSecure(behind: peer, forwardedProto: values(of: .forwardedProto))
    }
}

// What was sent along.
extension Request {
    /// The parameters of the query string.
    public func query(maximumFields: Int = 128) throws(FormCoding.Failure) -> Form {
        try Form(queryBytes, maximumFields: maximumFields)
    }

    /// The fields of a body in `application/x-www-form-urlencoded` or `multipart/form-data`, files apart.
    public func form(maximumFields: Int = 128) throws(FormCoding.Failure) -> Form {
        if let multipartForm { return multipartForm }
        return try Form(body, maximumFields: maximumFields)
    }
}
