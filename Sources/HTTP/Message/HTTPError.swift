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
    public var status: Status { meaning.status }

    /// A plain-text response that names the error.
    public var response: Response { .text(meaning.words + "\n", status: status) }

    private var meaning: (status: Status, words: String) {
        switch self {
        case .badRequest: (.badRequest, "Bad request")
        case .misdirected: (.misdirectedRequest, "Misdirected request: this server has another host name")
        case .notFound: (.notFound, "Not found")
        case .methodNotAllowed: (.methodNotAllowed, "Method not allowed")
        case .contentTooLarge(let limit): (.contentTooLarge, "Content too large: at most \(limit) octets")
        case .unsupportedMediaType: (.unsupportedMediaType, "Unsupported media type")
        case .headerFieldsTooLarge: (.headerFieldsTooLarge, "Header fields too large")
        case .versionNotSupported: (.versionNotSupported, "HTTP version not supported")
        case .deadlinePassed, .overloaded: (.serviceUnavailable, "Service unavailable")
        case .failed: (.internalServerError, "Internal server error")
        }
    }
}
