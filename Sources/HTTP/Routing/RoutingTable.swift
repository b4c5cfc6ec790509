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
        for index in nodes.indices where nodes[index].actions.contains(where: { $0?.answersGet == true }) {
            nodes[index].actions = nodes[index].actions.map { $0?.besideGet }
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
        nodes[node].actions[Int(entry.method.rawValue)] = entry.method == .get ? entry.action.besideGet : entry.action
        var allowed: [String] = []
        for method in Method.allCases where nodes[node].actions[Int(method.rawValue)] != nil {
            allowed.append(method.name.description)
            if method == .get { allowed.append(Method.head.name.description) }
        }
        nodes[node].allow = allowed.joined(separator: ", ")
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
    /// Whether the path of the route answers GET.
    let answersGet: Bool

    init(
        pattern: String, options: RouteOptions, ready: (@Sendable (Request) throws -> Response?)? = nil,
        answersGet: Bool = false, respond: @escaping Respond
    ) {
        self.pattern = pattern
        self.options = options
        self.ready = ready
        self.answersGet = answersGet
        self.respond = respond
    }

    /// The same action of a path that answers GET.
    fileprivate var besideGet: Action {
        Action(pattern: pattern, options: options, ready: ready, answersGet: true, respond: respond)
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
