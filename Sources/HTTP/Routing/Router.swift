internal import Core

/// The declared routes of an application; `frozen()` makes the table that requests are matched with.
public struct Router {
    struct Entry {
        let method: Method
        let pattern: PathPattern
        let action: Action
    }

    /// Reason why a set of routes is rejected.
    public enum Failure: Error, Equatable, Sendable {
        /// Both patterns would match the same request.
        case ambiguous(String, String)
    }

    private(set) var entries: [Entry] = []

    public init() {}

    /// Declares a handler for `method` on `route`; GET also answers HEAD, unless its options say that it stores
    /// something.
    public mutating func on<each Value: PathValue>(
        _ method: Method, _ route: Route<repeat each Value>, _ options: RouteOptions = .standard,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        precondition(method != .other && method != .head, "HEAD is answered by GET: \(route.text)")
        let action = Action(pattern: route.text, options: options) { request in
            var position = 0
            return try await respond(request, repeat try request.value((each Value).self, at: &position))
        }
        entries.append(Entry(method: method, pattern: route.pattern, action: action))
    }

    public mutating func get<each Value: PathValue>(
        _ route: Route<repeat each Value>, _ options: RouteOptions = .standard,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) { on(.get, route, options, respond) }

    public mutating func post<each Value: PathValue>(
        _ route: Route<repeat each Value>, _ options: RouteOptions = .standard,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) { on(.post, route, options, respond) }

    /// Declares a GET whose response is usually in memory already: `ready` returns it, or nil for `respond` to make it.
    ///
    /// What `ready` returns starts no task and counts for no client, because nothing waits for it.
    public mutating func get<each Value: PathValue>(
        _ route: Route<repeat each Value>, ready: @escaping @Sendable (Request, repeat each Value) throws -> Response?,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        entries.append(
            Entry(
                method: .get, pattern: route.pattern,
                action: Action(
                    pattern: route.text, options: .standard,
                    ready: { request in
                        var position = 0
                        return try ready(request, repeat try request.value((each Value).self, at: &position))
                    },
                    respond: { request in
                        var position = 0
                        return try await respond(request, repeat try request.value((each Value).self, at: &position))
                    })))
    }

    /// Declares a prepared response to GET on one fixed path.
    public mutating func get(_ path: String, _ response: PreparedResponse) {
        get(Route(path)) { _ in Response(response) }
    }

    /// Every route as method and pattern, such as `GET /console/:team/keys`.
    public var addresses: [String] { entries.map { "\($0.method.name) \($0.action.pattern)" } }

    /// Checks the routes against each other and arranges them for matching.
    ///
    /// A literal segment takes precedence over a value. Two routes are rejected when they are the same for one method,
    /// or when each has a literal where the other has a value, so that neither is the more specific.
    public func frozen() throws(Failure) -> RoutingTable {
        for (index, entry) in entries.enumerated() {
            for other in entries[..<index] {
                let isSame = entry.method == other.method && entry.pattern.segments == other.pattern.segments
                if isSame || entry.pattern.isAmbiguous(with: other.pattern) {
                    throw .ambiguous(other.pattern.text, entry.pattern.text)
                }
            }
        }
        return RoutingTable(entries)
    }
}

extension Request {
    /// The value of the next captured segment; throws `notFound` when it does not parse.
    fileprivate func value<Value: PathValue>(_ type: Value.Type, at position: inout Int) throws(HTTPError) -> Value {
        guard let target else { throw .notFound }
        let range = captures[position]
        position += 1
        let segment = target.bytes.span.extracting(range)
        guard target.bytes[range].contains(UInt8(ascii: "%")) else {
            guard let value = Value.parse(pathSegment: segment) else { throw .notFound }
            return value
        }
        guard let decoded = PercentCoding.decode(target.bytes[range]),
            let value = Value.parse(pathSegment: decoded.span)
        else { throw .notFound }
        return value
    }
}

/// The handler and options of one method of one route.
final class Action: Sendable {
    typealias Respond = @Sendable (Request) async throws -> Response

    let pattern: String
    let options: RouteOptions
    /// Returns a response that is in memory already; nil for `respond` to make it.
    let ready: (@Sendable (Request) throws -> Response?)?
    let respond: Respond

    init(
        pattern: String, options: RouteOptions, ready: (@Sendable (Request) throws -> Response?)? = nil,
        respond: @escaping Respond
    ) {
        self.pattern = pattern
        self.options = options
        self.ready = ready
        self.respond = respond
    }
}

/// The routes arranged by segment; immutable, so every loop may read it.
public struct RoutingTable: Sendable {
    /// Result of matching a target.
    enum Match {
        case action(Action, Captures)
        case notFound
        /// The path matches this pattern, which has routes for other methods only.
        case methodNotAllowed(allow: String, pattern: String)
    }

    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var value: Int?
        var actions: [Action?] = []
        var allow = ""
    }

    private var nodes = [Node()]

    init(_ entries: [Router.Entry]) {
        for entry in entries {
            var position = 0
            for segment in entry.pattern.segments { position = child(of: position, for: segment) }
            insert(entry, at: position)
        }
    }

    /// Finds the action for a path, comparing its octets in place.
    ///
    /// A literal segment is compared with the octets as received: an escaped spelling of it is another path, which no
    /// link uses, and is not found.
    func match(_ method: Method, _ target: Target) -> Match {
        var captures = Captures()
        guard let found = find(target.bytes.span.extracting(first: target.pathEnd), 1, 0, &captures) else {
            return .notFound
        }
        let node = nodes[found]
        let wanted = method == .head ? Method.get : method
        guard let action = node.actions[Int(wanted.rawValue)] else {
            let pattern = node.actions.lazy.compactMap { $0?.pattern }.first ?? ""
            return .methodNotAllowed(allow: node.allow, pattern: pattern)
        }
        return .action(action, captures)
    }

    /// Walks from `node` with the segment that starts at `start`; tries literals before the value.
    private func find(_ path: Span<UInt8>, _ start: Int, _ node: Int, _ captures: inout Captures) -> Int? {
        guard start < path.count else { return nodes[node].actions.isEmpty ? nil : node }
        var end = start
        while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
        // A slash at the end leaves an empty segment, which no pattern has.
        guard end + 1 != path.count || path[end] != UInt8(ascii: "/") else { return nil }
        if let next = literal(path, start, end, in: node), let found = find(path, end + 1, next, &captures) {
            return found
        }
        guard let next = nodes[node].value else { return nil }
        captures.append(start..<end)
        if let found = find(path, end + 1, next, &captures) { return found }
        captures.removeLast()
        return nil
    }

    private func literal(_ path: Span<UInt8>, _ start: Int, _ end: Int, in node: Int) -> Int? {
        let literals = nodes[node].literals
        candidates: for index in literals.indices {
            let segment = literals[index].segment
            guard segment.count == end - start else { continue }
            for offset in segment.indices where segment[offset] != path[start + offset] { continue candidates }
            return literals[index].node
        }
        return nil
    }

    private mutating func child(of node: Int, for segment: PathPattern.Segment) -> Int {
        switch segment {
        case .literal(let bytes):
            if let known = nodes[node].literals.first(where: { $0.segment == bytes }) { return known.node }
            nodes[node].literals.append((bytes, nodes.count))
        case .value:
            if let known = nodes[node].value { return known }
            nodes[node].value = nodes.count
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    private mutating func insert(_ entry: Router.Entry, at node: Int) {
        if nodes[node].actions.isEmpty { nodes[node].actions = [Action?](repeating: nil, count: Method.allCases.count) }
        nodes[node].actions[Int(entry.method.rawValue)] = entry.action
        var allowed: [String] = []
        for method in Method.allCases where nodes[node].actions[Int(method.rawValue)] != nil {
            allowed.append(method.name.description)
            if method == .get { allowed.append(Method.head.name.description) }
        }
        nodes[node].allow = allowed.joined(separator: ", ")
    }
}

/// Ranges of a matched path's values in its target, kept without copies or allocation.
struct Captures: Sendable {
    static let capacity = 8

    private var bounds = InlineArray<8, UInt32>(repeating: 0)
    private(set) var count = 0

    /// Appends a range; offsets fit 16 bits because `Target` accepts no more than 65,535 octets.
    mutating func append(_ range: Range<Int>) {
        guard count < Self.capacity else { return }
        bounds[count] = UInt32(truncatingIfNeeded: range.lowerBound << 16 | range.upperBound)
        count += 1
    }

    mutating func removeLast() { count -= 1 }

    subscript(_ index: Int) -> Range<Int> {
        let bound = bounds[index]
        return Int(bound >> 16)..<Int(bound & 0xFFFF)
    }
}

/// The application a server runs: its routes, its error responses, and hooks for started and finished requests.
public struct Application: Sendable {
    public var routes: RoutingTable
    /// Makes the response to an error, as a page or as JSON, with the fields every response carries.
    ///
    /// The server adds `Allow` to a 405 and `Retry-After` to a 503 when they are missing. It must not block.
    public var decorate: @Sendable (HTTPError, Request) -> Response
    /// Called when the head of a request is complete and its route is known; `finished` always follows, and may be
    /// called without it.
    ///
    /// It must not block.
    public var started: (@Sendable (Request) -> Void)?
    /// Called when a response was sent or could not be sent, for logs and metrics.
    ///
    /// It must not block.
    public var finished: (@Sendable (FinishedRequest) -> Void)?

    public init(
        routes: RoutingTable,
        decorate: @escaping @Sendable (HTTPError, Request) -> Response = { refusal, _ in refusal.response },
        started: (@Sendable (Request) -> Void)? = nil, finished: (@Sendable (FinishedRequest) -> Void)? = nil
    ) {
        self.routes = routes
        self.decorate = decorate
        self.started = started
        self.finished = finished
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
