import Bytes
import Directory
public import Domain

/// What goes back to an app: only what it asked for, and `state` where it sent one (RFC 6749 section 4.1.2).
public struct AuthorizationAnswer: Sendable {
    public let clientID: ClientID
    public let redirectURI: String
    public let mode: AuthorizationRequest.ResponseMode
    /// Names and values in the order they are sent.
    public private(set) var parameters: [(name: String, value: String)]

    init(_ request: AppRequest, _ parameters: [(String, String)]) {
        clientID = request.clientID
        redirectURI = request.redirectURI
        mode = request.responseMode
        self.parameters =
            parameters.map { (name: $0.0, value: $0.1) } + (request.state.map { [("state", $0)] } ?? [])
    }

    /// Puts another value in the place of a parameter that is there.
    public mutating func replace(_ name: String, with change: (String) throws -> String) rethrows {
        guard let index = parameters.firstIndex(where: { $0.name == name }) else { return }
        parameters[index].value = try change(parameters[index].value)
    }

    /// The return URL with the parameters in its query or fragment; for form_post and web_message the return URL
    /// alone.
    public var location: String {
        let coded = FormCoding.encode(parameters)
        switch mode {
        case .formPost, .webMessage: return redirectURI
        case .fragment: return "\(redirectURI)#\(coded)"
        case .query: return "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(coded)"
        }
    }
}

/// The `user` parameter: a JSON text with the parts that were asked for, delivered until it has arrived once.
struct UserDelivery: Sendable {
    let json: String

    /// Nil when nothing was asked for.
    init?(_ identity: SharedIdentity) {
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
