import Core
import Directory
public import Platform

/// The authorization response: only requested values, and `state` when the client sent one (RFC 6749 section 4.1.2).
public struct AuthorizationAnswer: Sendable {
    public let clientID: ClientID
    public let redirectURI: String
    public let mode: AuthorizationRequest.ResponseMode
    /// Names and values in the order of the response.
    public private(set) var parameters: [(name: String, value: String)]

    init(_ request: AuthorizationRequest, _ parameters: [(String, String)]) {
        clientID = request.clientID
        redirectURI = request.redirectURI
        mode = request.responseMode
        self.parameters = parameters.map { (name: $0.0, value: $0.1) } + (request.state.map { [("state", $0)] } ?? [])
    }

    /// Replaces the value of a parameter; does nothing when the parameter is absent.
    public mutating func replace(_ name: String, with change: (String) throws -> String) rethrows {
        guard let index = parameters.firstIndex(where: { $0.name == name }) else { return }
        parameters[index].value = try change(parameters[index].value)
    }

    /// The return URL with the parameters in its query or fragment; the return URL alone for form_post and web_message.
    public var location: String {
        let coded = FormCoding.encode(parameters)
        switch mode {
        case .formPost, .webMessage: return redirectURI
        case .fragment: return "\(redirectURI)#\(coded)"
        case .query: return "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(coded)"
        }
    }
}

/// The `user` parameter: JSON text with the requested parts, sent until it has been delivered once.
public struct UserDelivery: Sendable {
    public let json: String

    /// Makes the parameter, or nil when neither name nor email was requested.
    public init?(_ identity: SharedIdentity) {
        guard identity.userName != nil || identity.userEmail != nil else { return nil }
        var user = JSONWriter(capacity: 256)
        if let name = identity.userName {
            var parts = JSONWriter(capacity: 128)
            parts.member("firstName", name.given)
            parts.member("lastName", name.family)
            user.member("name", raw: parts.finish())
        }
        if let email = identity.userEmail { user.member("email", email.address.rawValue) }
        json = String(decoding: user.finish(), as: UTF8.self)
    }
}
