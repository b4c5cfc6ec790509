/// An error response of RFC 6749 section 5.2, with the precise reason kept apart for the team.
public struct OAuthError: Error, Equatable, Sendable {
    public enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
    }

    public let code: Code
    /// `error_description`, with Apple's text where it is known.
    public let description: String?
    /// The reason as one of a closed list, for explanations and counts in the team's inspector.
    public let cause: RefusalCause
    /// The reason as text, for the team and the log.
    ///
    /// It never contains a secret.
    public let reason: String
    /// The values that the request should have had, for the team's inspector.
    public let expected: [TraceAttribute]

    public init(
        _ code: Code, _ description: String? = nil, cause: RefusalCause = .other, because reason: String,
        expecting expected: [TraceAttribute] = []
    ) {
        self.code = code
        self.description = description
        self.cause = cause
        self.reason = reason
        self.expected = expected
    }
}

extension OAuthError {
    /// The error for a request whose parameters cannot be parsed.
    public static func unreadable(_ reason: String) -> OAuthError {
        OAuthError(.invalidRequest, cause: .unreadable, because: reason)
    }
}
