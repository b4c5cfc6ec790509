internal import CMicroHTTPD
public import Core
internal import Glibc

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

/// A request method (RFC 9110 section 9) that Pippin supports.
public enum Method: UInt8, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options
    /// Any other token; no route can be declared for it, so the response is 404 or 405.
    case other

    /// The token as it appears in a request line and in `Allow`.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "other"
        }
    }

    /// Parses the token of a request line; method names are case-sensitive.
    init(token: UnsafePointer<CChar>) {
        let length = unsafe strlen(token)
        for method in Method.allCases where method != .other && method.name.utf8CodeUnitCount == length {
            if unsafe memcmp(token, method.name.utf8Start, length) == 0 {
                self = method
                return
            }
        }
        self = .other
    }
}

/// The identifier of a request, in logs and on error pages.
///
/// Unique within a process and spread over 64 bits; it is not a secret and authorizes nothing.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Generator of request identifiers, from a random start.
struct RequestNumbering {
    private var state: UInt64

    init(start: UInt64) { state = start }

    /// The next step of SplitMix64: a permutation of 64 bits, so no identifier repeats before all were used.
    mutating func next() -> RequestID {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return RequestID(mixed ^ mixed >> 31)
    }
}

/// The header fields of a connection's current request, in libmicrohttpd's memory.
///
/// Valid from the first callback for a request until its completion.
@safe struct RequestHead {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// Octets of the request line and the header fields.
    var size: Int { unsafe pippin_mhd_head_size(handle) }

    /// The first value of a field.
    func value(of name: HeaderName) -> String? {
        var size = 0
        let literal = unsafe UnsafeRawPointer(name.literal.utf8Start).assumingMemoryBound(to: CChar.self)
        let found = unsafe pippin_mhd_field(handle, literal, name.literal.utf8CodeUnitCount, &size)
        guard let found = unsafe found else { return nil }
        return unsafe String(fieldValue: ASCII.trim(octets(found, size)))
    }

    /// The values of all fields of that name, in the order received.
    func values(of name: HeaderName) -> [String] {
        var search = Search(name: name)
        unsafe withUnsafeMutablePointer(to: &search) { search in
            unsafe pippin_mhd_each_field(handle, Self.takeValue, search)
        }
        return search.values
    }

    /// A copy of all fields.
    func copy() -> HeaderBlock {
        var block = HeaderBlock()
        unsafe withUnsafeMutablePointer(to: &block) { block in
            unsafe pippin_mhd_each_field(handle, Self.copyField, block)
        }
        return block
    }

    /// Reads the whole head once; returns the framing its fields declare, malformed when its layout is (`HeadLayout`).
    func inspect(_ line: RequestLine, _ rule: HostRule?) -> Framing {
        var inspection = unsafe Inspection(layout: HeadLayout(line.method), framing: Framing(rule))
        unsafe inspection.layout.take(line.target, after: 1)
        unsafe inspection.layout.take(line.version, after: 1)
        unsafe withUnsafeMutablePointer(to: &inspection) { inspection in
            unsafe pippin_mhd_each_field(handle, Self.inspectField, inspection)
        }
        let end = unsafe UInt(bitPattern: line.method.baseAddress) &+ UInt(size)
        if !inspection.layout.isWhole(until: end) { inspection.framing.isMalformed = true }
        return inspection.framing
    }

    private struct Inspection {
        var layout: HeadLayout
        var framing: Framing
    }

    private struct Search {
        let name: HeaderName
        var values: [String] = []
    }

    private static let takeValue: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let search = unsafe context?.assumingMemoryBound(to: Search.self) else { return pippin_mhd_no }
        if unsafe search.pointee.name.matches(octets(name, nameSize).span) {
            unsafe search.pointee.values.append(String(fieldValue: ASCII.trim(octets(value, valueSize))))
        }
        return pippin_mhd_yes
    }

    private static let copyField: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let block = unsafe context?.assumingMemoryBound(to: HeaderBlock.self) else { return pippin_mhd_no }
        unsafe block.pointee.append(name: octets(name, nameSize), value: octets(value, valueSize))
        return pippin_mhd_yes
    }

    private static let inspectField: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let inspection = unsafe context?.assumingMemoryBound(to: Inspection.self) else { return pippin_mhd_no }
        let name = unsafe octets(name, nameSize)
        let value = unsafe octets(value, valueSize)
        unsafe inspection.pointee.layout.take(name: name, value: value)
        unsafe inspection.pointee.framing.inspect(name: name.span, value: value.span)
        return pippin_mhd_yes
    }
}

/// The request line as split by libmicrohttpd.
@safe struct RequestLine {
    let method: UnsafeBufferPointer<UInt8>
    let target: UnsafeBufferPointer<UInt8>
    let version: UnsafeBufferPointer<UInt8>

    init(method: UnsafePointer<CChar>, target: UnsafePointer<CChar>, targetSize: Int, version: UnsafePointer<CChar>) {
        unsafe self.method = octets(method, strlen(method))
        // Not by strlen, because libmicrohttpd has since cut off the query with a zero octet.
        unsafe self.target = octets(target, targetSize)
        unsafe self.version = octets(version, strlen(version))
    }
}

private func octets(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = unsafe start else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
}
