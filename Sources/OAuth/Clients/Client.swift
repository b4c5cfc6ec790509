import Core
import Directory
public import Platform
public import Registry

/// A client of the protocol: a Service ID or, for native apps, an App ID.
public struct Client: Sendable {
    public let id: ClientID
    /// The primary App ID of its group: consents and keys belong to the group.
    public let primaryAppID: ClientID
    /// The name shown to users on the hosted pages.
    public let name: String
    public let returnURLs: [ReturnURL]
    /// Return URLs without a verified domain, in a team that requires one; else empty.
    var unprovenURLs: [ReturnURL] = []
    public let requiresPKCE: Bool
    public let isEnabled: Bool
    let issuesAsApple: Bool
    let writesStrings: Bool
}

/// How the client of a request proves itself at an endpoint: by a client secret, a JWT that it has signed (Apple,
/// "Creating a client secret").
///
/// A native app cannot keep one. Where the endpoint allows it, the app sends something else, which the endpoint
/// verifies.
public enum ClientProof: Sendable {
    case secret
    /// A secret, or without one the rotating refresh token in that parameter.
    case secretOrRotatingToken(in: String)
    /// A secret, or without one a code of a provider.
    case secretOrUpstreamCode
}

extension Client {
    /// Whether the return URL is registered, compared octet by octet.
    func hasReturnURL(_ url: String) -> Bool { returnURLs.contains { $0.text.isExactly(url) } }

    /// Whether the return URL is registered but rejected, because the team requires verified domains.
    func isUnproven(_ url: String) -> Bool { unprovenURLs.contains { $0.text.isExactly(url) } }
}
