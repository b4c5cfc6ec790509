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
