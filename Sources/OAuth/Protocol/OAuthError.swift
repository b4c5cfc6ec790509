public import Platform

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

    public init(_ code: Code, _ description: String? = nil, cause: RefusalCause = .other, because reason: String) {
        self.code = code
        self.description = description
        self.cause = cause
        self.reason = reason
    }
}

extension OAuthError {
    /// The error for a request whose parameters cannot be parsed.
    public static func unreadable(_ reason: String) -> OAuthError {
        OAuthError(.invalidRequest, cause: .unreadable, because: reason)
    }
}

extension ClientID {
    /// Why a `client_id` was rejected; it quotes the value only when it has the form of an identifier, because a secret
    /// may have been sent in its place.
    public static func refusal(_ text: String) -> String {
        ClientID(rawValue: text) == nil
            ? "client_id has not the shape of an identifier" : "\(text) is not a client of this team"
    }
}

extension RefusalCause {
    /// The cause of rejecting the text as a `client_id`.
    public static func client(_ text: String) -> RefusalCause {
        ClientID(rawValue: text) == nil ? .clientMalformed : .clientUnknown
    }
}
