/// An error that the server responds with before or in place of a handler.
///
/// The application makes the response (`Application.decorate`); a handler may throw one too.
public enum HTTPError: Error, Sendable {
    /// The request line, the header fields or a multipart body is malformed.
    case badRequest
    /// The request is for a host that the server does not accept (RFC 9110 section 15.5.20).
    case misdirected
    /// No route matches the path.
    case notFound
    /// A route matches the path, but not the method.
    case methodNotAllowed(allow: String)
    /// The body is longer than its route allows.
    case contentTooLarge(limit: Int)
    /// The route does not accept the body's media type.
    case unsupportedMediaType
    /// The request line and header fields are longer than the server allows.
    case headerFieldsTooLarge
    /// The HTTP version is neither 1.0 nor 1.1.
    case versionNotSupported
    /// The handler took longer than the server allows.
    case deadlinePassed
    /// The client's network has too many requests in flight, no memory is left for the body, or the server is stopping.
    case overloaded
    /// The handler failed with another error, which only the application can interpret.
    case failed(any Error)

    /// The status to use when the application chooses no other.
    public var status: Status {
        switch self {
        case .badRequest: .badRequest
        case .misdirected: .misdirectedRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .contentTooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .headerFieldsTooLarge: .headerFieldsTooLarge
        case .versionNotSupported: .versionNotSupported
        case .deadlinePassed, .overloaded: .serviceUnavailable
        case .failed: .internalServerError
        }
    }

    /// A plain-text response that names the error.
    public var response: Response {
        let words: String
        switch self {
        case .badRequest: words = "Bad request"
        case .misdirected: words = "Misdirected request: this server has another host name"
        case .notFound: words = "Not found"
        case .methodNotAllowed: words = "Method not allowed"
        case .contentTooLarge(let limit): words = "Content too large: at most \(limit) octets"
        case .unsupportedMediaType: words = "Unsupported media type"
        case .headerFieldsTooLarge: words = "Header fields too large"
        case .versionNotSupported: words = "HTTP version not supported"
        case .deadlinePassed, .overloaded: words = "Service unavailable"
        case .failed: words = "Internal server error"
        }
        return .text(words + "\n", status: status)
    }
}
