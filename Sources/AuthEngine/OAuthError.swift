import Domain

/// A refusal in the terms of RFC 6749 section 5.2, with the true reason for the team apart.
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
    /// `error_description`, in Apple's words where these are known.
    public let description: String?
    /// What was wrong, as the team's inspector explains and counts it.
    public let cause: RefusalCause
    /// The same in words, for the team's eyes and the log.
    ///
    /// Never a secret.
    public let reason: String

    init(
        _ code: Code,
        _ description: String? = nil,
        cause: RefusalCause = .other,
        because reason: String
    ) {
        self.code = code
        self.description = description
        self.cause = cause
        self.reason = reason
    }
}

extension OAuthError {
    /// A request whose parameters cannot even be read.
    public static func unreadable(_ reason: String) -> OAuthError {
        OAuthError(.invalidRequest, cause: .unreadable, because: reason)
    }
}

extension OAuthError {
    /// What a provider's refusal is to the app that handed its code over.
    public init(_ failure: ProviderFailure) {
        let isOurs = failure.cause == .providerClient || failure.cause == .providerAbsent
        self.init(isOurs ? .invalidClient : .invalidGrant, cause: failure.cause, because: failure.reason)
    }
}

extension ClientID {
    /// Why a `client_id` was refused; the text is told only where it has the shape of one, since a secret may have
    /// been put in its place.
    static func refusal(_ text: String) -> String {
        ClientID(rawValue: text) == nil
            ? "client_id has not the shape of an identifier" : "\(text) is not a client of this team"
    }
}

extension RefusalCause {
    /// Why that text was refused as a `client_id`.
    static func client(_ text: String) -> RefusalCause {
        ClientID(rawValue: text) == nil ? .clientMalformed : .clientUnknown
    }
}
