internal import Core

/// A route of the application: one declaration that matches requests and builds links.
///
/// ```swift
/// static let appID = Route("/console/:team/app-ids/:id", TeamID.self, AppID.self)
/// router.get(Console.appID) { request, team, id in … }
/// Console.appID.link(team, id)
/// ```
public struct Route<each Value: PathValue>: Sendable {
    let pattern: PathPattern

    /// Declares a route, with one type for each segment that begins with a colon.
    public init(_ pattern: String, _ types: repeat (each Value).Type) {
        self.pattern = PathPattern(pattern)
        var count = 0
        for _ in repeat each types { count += 1 }
        precondition(count == self.pattern.valueCount, "a type for each value of the route: \(pattern)")
    }

    /// The path for these values, percent-escaped.
    public func link(_ values: repeat each Value) -> String {
        if pattern.segments.isEmpty { return "/" }
        var path: [UInt8] = []
        path.reserveCapacity(128)
        var rest = pattern.segments[...]
        for value in repeat each values {
            while let segment = rest.popFirst(), case .literal(let literal) = segment {
                Self.append(literal, to: &path)
            }
            path.append(UInt8(ascii: "/"))
            PercentCoding.append(value.pathSegment, to: &path)
        }
        for case .literal(let literal) in rest { Self.append(literal, to: &path) }
        return String(decoding: path, as: UTF8.self)
    }

    private static func append(_ literal: [UInt8], to path: inout [UInt8]) {
        path.append(UInt8(ascii: "/"))
        path.append(contentsOf: literal)
    }

    /// The pattern as declared, for logs.
    public var text: String { pattern.text }
}

/// Options of a route: which requests it accepts.
public struct RouteOptions: Sendable {
    /// Checks a request by its head; returns a response to reject it, or nil to have its body read.
    public typealias Admission = @Sendable (Request) async throws -> Response?

    /// The longest body that is read without an admission check, in octets.
    static let shortBody = 16 * 1024

    /// The longest body, in octets; a longer one is answered with 413, as is one over 16 KiB without an admission check.
    public var bodyLimit: Int
    /// The accepted media types of a body, any when empty; others are answered with 415.
    public var contentTypes: [MediaType]
    /// Called before a body over 16 KiB or of unknown length is read, so that no long body is kept for an
    /// unauthenticated client.
    ///
    /// The handler must not rely on it: shorter bodies are read without this check.
    public var admission: Admission?
    /// Whether a GET stores something; then HEAD is answered without the handler, because who sends it wants nothing to
    /// happen, as scanners of links do (RFC 9110 section 9.2.1).
    public let storesOnGet: Bool

    public init(bodyLimit: Int = 64 * 1024, contentTypes: [MediaType] = [], storesOnGet: Bool = false) {
        self.bodyLimit = bodyLimit
        self.contentTypes = contentTypes
        self.storesOnGet = storesOnGet
    }

    public static let standard = RouteOptions()
    /// Of a GET that stores something.
    public static let storing = RouteOptions(storesOnGet: true)
    /// Accepts a form and nothing else.
    public static let form = RouteOptions(contentTypes: [.form])
    /// Accepts a form with files of `limit` octets at most, or one without files.
    public static func upload(limit: Int) -> RouteOptions {
        // Boundaries, names and the other fields take up octets too.
        RouteOptions(bodyLimit: limit + 16 * 1024, contentTypes: [.multipart, .form])
    }

    /// Whether a `multipart/form-data` body is parsed before the handler runs; otherwise the handler gets its octets.
    var takesFiles: Bool { contentTypes.contains { $0.matches("multipart/form-data") } }

    /// The longest body of a request that the admission check has accepted, or of any other.
    func bodyLimit(isAdmitted: Bool) -> Int { isAdmitted ? bodyLimit : min(bodyLimit, Self.shortBody) }
}
