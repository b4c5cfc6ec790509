/// What the server answers without or in place of a handler.
///
/// The application dresses it (`Application.dress`); a handler may throw one too.
public enum Refusal: Error, Sendable {
    /// The request line or the header fields cannot be taken as they are.
    case badRequest
    /// The request is for a host that is not answered here (RFC 9110 section 15.5.20).
    case misdirected
    /// Nothing answers at that path.
    case notFound
    /// Something answers there, but not this method.
    case methodNotAllowed(allow: String)
    /// The body is longer than its route allows.
    case contentTooLarge(limit: Int)
    /// The body is of a type its route does not take.
    case unsupportedMediaType
    /// The header fields are longer than the server allows.
    case headerFieldsTooLarge
    /// A version of HTTP other than 1.0 and 1.1.
    case versionNotSupported
    /// The handler took longer than the server allows.
    case deadlinePassed
    /// The server has more requests under way than it may, or is stopping.
    case overloaded
    /// The handler failed; only the application knows what its errors mean.
    case failed(any Error)

    /// The status that fits when the application knows nothing better.
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

    /// A bare answer: the status in words.
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
