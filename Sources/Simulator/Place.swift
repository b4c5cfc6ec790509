/// Place at which a fault occurs.
public enum Place: String, CaseIterable, Sendable {
    /// The response through the browser, or to the app on a device.
    case browser
    case token
    case keys
    case discovery
    case revocation

    /// Faults that can occur at this place.
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
