public import Core

/// A request with its head and its whole body.
///
/// Until the handler suspends, the header fields stay in libmicrohttpd's buffer, which saves a copy for every request
/// that is answered at once. At the first suspension they are copied in one piece, because a deadline may then end the
/// request while its handler is still running, and a field read afterwards must be neither freed memory nor appear
/// missing.
// @unchecked Sendable: created, read and changed only on the thread of its server's loop, where the handler runs too. A
// handler passes only values taken out of it to other threads.
public final class Request: @unchecked Sendable {
    public let method: Method
    public let id: RequestID
    /// Time at which the head was complete.
    public let received: ContinuousClock.Instant
    /// The body, no longer than its route allows.
    public internal(set) var body: [UInt8] = []
    /// The declared length of the body in octets; nil when it is chunked.
    var bodyLength: Int? = 0
    /// Whether the route's admission check has accepted the head.
    var isAdmitted = false
    /// Whether the client waits for 100 (Continue) before it sends the body.
    var isHeldBack = false
    /// The files of a `multipart/form-data` body.
    public internal(set) var uploads: [Upload] = []
    /// The fields of a `multipart/form-data` body, without files.
    var multipartForm: Form?

    let target: Target?
    let peer: IPAddress
    let proxies: TrustedProxies
    let isEncrypted: Bool
    var captures = Captures()
    var action: Action?
    /// The pattern that matches the path when its routes have other methods only.
    var pathPattern: String?

    /// The connection that waits for the response; nil once the response is sent or a deadline has caused another.
    var connection: Connection?
    private var copiedHead: HeaderBlock?
    private var knownClient: IPAddress?

    init(method: Method, id: RequestID, rawTarget: [UInt8], connection: Connection, proxies: TrustedProxies) {
        self.method = method
        self.id = id
        target = Target(rawTarget)
        received = .now
        peer = connection.peer
        isEncrypted = connection.isEncrypted
        self.proxies = proxies
        self.connection = connection
    }

    /// The path as received, without the query; percent escapes are not decoded.
    public var path: String { String(decoding: target?.path ?? [], as: UTF8.self) }

    /// The octets after the question mark.
    public var queryBytes: ArraySlice<UInt8> { target?.query ?? [] }

    /// The pattern of the route that matches, such as `/console/:team`, even with another method; nil when none does.
    public var routePattern: String? { action?.pattern ?? pathPattern }

    /// Whether the path answers GET, too.
    public var hasPage: Bool { action?.answersGet ?? false }

    /// Copies the head, so that it outlives the connection's buffer.
    func copyHead() { if copiedHead == nil { copiedHead = connection?.head.copy() } }
}

// Header fields.
extension Request {
    /// The first value of a field; octets that are not UTF-8 are replaced.
    ///
    /// Such a field does not count as missing, because a check that runs only when a field is present must run.
    public subscript(_ name: HeaderName) -> String? {
        if let copiedHead { return copiedHead.values(of: name).first }
        return connection?.head.value(of: name)
    }

    /// The values of all fields of that name, in the order received.
    public func values(of name: HeaderName) -> [String] {
        if let copiedHead { return copiedHead.values(of: name) }
        return connection?.head.values(of: name) ?? []
    }

    /// All fields, in the order received.
    public var fields: [(name: String, value: String)] { (copiedHead ?? connection?.head.copy())?.all ?? [] }

    /// Whether the request has a body of that media type.
    public func hasContentType(_ type: MediaType) -> Bool { self[.contentType].map(type.matches) ?? false }

    /// The cookies the browser sent.
    public var cookies: Cookies { Cookies(values(of: .cookie)) }
}

// The client.
extension Request {
    /// The client's address, read from `X-Forwarded-For` when the peer is a trusted proxy.
    ///
    /// Computed once, because it is used for each piece of a chunked body.
    public var client: IPAddress {
        guard proxies.contains(peer) else { return peer }
        if let knownClient { return knownClient }
        let client = proxies.client(behind: peer, forwardedFor: values(of: .forwardedFor))
        knownClient = client
        return client
    }

    /// The client for which a trusted proxy forwards the request; nil when there is no proxy, or it reports no client.
    var forwardedClient: IPAddress? {
        guard proxies.contains(peer) else { return nil }
        let client = client
        return proxies.contains(client) ? nil : client
    }

    /// Whether the client's connection is encrypted, according to the server itself or to a trusted proxy.
    public var isSecure: Bool {
        isEncrypted || proxies.isSecure(behind: peer, forwardedProto: values(of: .forwardedProto))
    }
}

// Parameters.
extension Request {
    /// The parameters of the query string.
    public func query(maximumFields: Int = 128) throws(FormCoding.Failure) -> Form {
        try Form(queryBytes, maximumFields: maximumFields)
    }

    /// The fields of an `application/x-www-form-urlencoded` or `multipart/form-data` body, without files.
    public func form(maximumFields: Int = 128) throws(FormCoding.Failure) -> Form {
        if let multipartForm { return multipartForm }
        return try Form(body, maximumFields: maximumFields)
    }
}

/// The identifier of a request, in logs and on error pages.
///
/// Its first half is the second in which the request came, so that what happened then is found without an index; the second
/// half is hardly ever given twice within a second. It is not a secret and authorizes nothing.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    /// The second in which the request with this reference came; nil for a text of another form.
    public static func time(of reference: String) -> Timestamp? {
        guard reference.utf8.count == 16, let value = UInt64(reference, radix: 16) else { return nil }
        return Timestamp(seconds: Int(value >> 32))
    }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Generator of request identifiers, from a random start.
struct RequestNumbering {
    private var state: UInt32

    init(start: UInt32) { state = start }

    /// The second, and the next step of a permutation of 32 bits (the finalizer of MurmurHash3).
    mutating func next(at moment: Timestamp = .now()) -> RequestID {
        state &+= 0x9E37_79B9
        var mixed = state
        mixed = (mixed ^ mixed >> 16) &* 0x85EB_CA6B
        mixed = (mixed ^ mixed >> 13) &* 0xC2B2_AE35
        return RequestID(UInt64(UInt32(truncatingIfNeeded: moment.seconds)) << 32 | UInt64(mixed ^ mixed >> 16))
    }
}

/// A request that has ended.
///
/// Its header fields can be read while the hook runs, not later.
public struct FinishedRequest: Sendable {
    public let request: Request
    /// The status of the response, or nil when the client disconnected before.
    public let status: Status?
    /// Time from its head to its end.
    public let duration: Duration
    /// Time the server worked on it, without the time in which the client sent the body or received the response.
    public let work: Duration
    /// Whether the whole response was passed to the operating system.
    public let wasSent: Bool
}
