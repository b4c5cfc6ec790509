/// What goes wrong at the stand-in, and where.
public enum Fault: String, CaseIterable, Sendable {
    /// Late by a moment, two seconds unless the script says otherwise.
    case slow
    /// No answer before anybody's patience ends.
    case silent
    /// An error of Apple's own, before anything is done.
    case trouble
    /// What was asked is done, and the connection breaks before the answer.
    case broken
    /// The answer is no JSON.
    case malformed
    /// Too many calls.
    case throttled
    /// Trouble half of the time: before what was asked is done, or after.
    case moody
    /// The request is refused, for whichever of Apple's many reasons.
    case badRequest = "bad_request"
    /// The client secret is refused.
    case unknownClient = "unknown_client"
    /// The token is signed with a key that is not published.
    case unknownKey = "unknown_key"
    /// The token is signed with a key that was published a moment ago.
    case newKey = "new_key"
    /// The token names another issuer, as for a day in June 2025.
    case otherIssuer = "other_issuer"
    /// The token is for another client.
    case otherAudience = "other_audience"
    /// The token has expired.
    case expired
    /// The token comes from an hour ahead.
    case ahead
    /// The token belongs to another sign-in.
    case otherNonce = "other_nonce"

    /// Whether it is one of the token, wherever that is made.
    var isOfToken: Bool {
        switch self {
        case .unknownKey, .newKey, .otherIssuer, .otherAudience, .expired, .ahead, .otherNonce: true
        default: false
        }
    }
}

/// Where a fault happens.
public enum Place: String, CaseIterable, Sendable {
    /// In the answer that goes through the browser, or to the app on a device.
    case browser
    case token
    case keys
    case discovery
    case revocation

    /// What can go wrong there.
    public var faults: [Fault] {
        switch self {
        case .browser: Fault.allCases.filter(\.isOfToken)
        case .token: Fault.allCases
        case .discovery: [.otherIssuer, .slow, .silent, .trouble, .throttled]
        case .keys: [.slow, .silent, .trouble, .broken, .malformed, .throttled]
        case .revocation: [.slow, .silent, .trouble, .broken, .throttled, .moody, .unknownClient]
        }
    }
}
