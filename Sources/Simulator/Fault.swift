/// Fault that the simulator produces.
public enum Fault: String, CaseIterable, Sendable {
    /// A response that is delayed by two seconds, or until the script releases it.
    case slow
    /// No response before any caller's timeout.
    case silent
    /// A server error of Apple's, before the request is processed.
    case trouble
    /// The request is processed, and the connection breaks before the response.
    case broken
    /// The response is not JSON.
    case malformed
    /// Too many requests.
    case throttled
    /// A server error half of the time, before or after the request is processed.
    case moody
    /// The request is rejected with `invalid_request`, as Apple does for many reasons.
    case badRequest = "bad_request"
    /// The client secret is rejected.
    case unknownClient = "unknown_client"
    /// The token is signed with a key that is not published.
    case unknownKey = "unknown_key"
    /// The token is signed with a key that was published a moment ago.
    case newKey = "new_key"
    /// The token names another issuer, as Apple's tokens did for a day in June 2025.
    case otherIssuer = "other_issuer"
    /// The token is for another client.
    case otherAudience = "other_audience"
    /// The token has expired.
    case expired
    /// The token was issued an hour in the future.
    case ahead
    /// The token belongs to another sign-in.
    case otherNonce = "other_nonce"

    /// Whether the fault concerns the ID token, at any place that issues one.
    var isOfToken: Bool {
        switch self {
        case .unknownKey, .newKey, .otherIssuer, .otherAudience, .expired, .ahead, .otherNonce: true
        default: false
        }
    }
}
