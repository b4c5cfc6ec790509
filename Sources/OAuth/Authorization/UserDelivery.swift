import Core
import Directory
import Platform
import Postgres

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
