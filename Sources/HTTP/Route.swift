internal import Bytes

/// An address of the application: one declaration that matches requests and prints links.
///
/// ```swift
/// static let appID = Route("/console/:team/app-ids/:id", TeamID.self, AppID.self)
/// router.get(Console.appID) { request, team, id in … }
/// Console.appID.link(team, id)
/// ```
public struct Route<each Value: PathValue>: Sendable {
    let pattern: PathPattern

    /// Declares a route; there are as many types as segments that begin with a colon.
    public init(_ pattern: String, _ types: repeat (each Value).Type) {
        self.pattern = PathPattern(pattern)
        var count = 0
        for _ in repeat each types { count += 1 }
        precondition(count == self.pattern.valueCount, "a type for each value of the route: \(pattern)")
    }

    /// The path to these values, escaped.
    public func link(_ values: repeat each Value) -> String {
        var texts: [String] = []
        for value in repeat each values { texts.append(value.pathSegment) }
        if pattern.segments.isEmpty { return "/" }
        var path: [UInt8] = []
        var next = texts.makeIterator()
        for segment in pattern.segments {
            path.append(UInt8(ascii: "/"))
            switch segment {
            case .literal(let literal): path.append(contentsOf: literal)
            case .value: PercentCoding.append(next.next() ?? "", to: &path)
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// As it was declared, for logs.
    public var text: String { pattern.text }
}
