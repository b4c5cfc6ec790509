import Bytes
public import Domain
public import HTTP

/// The cookies of Pippin: one per team for the session, one per browser for sign-ins under way.
///
/// Over TLS they carry the `__Host-` prefix, which binds them to this host, to `/` and to TLS (RFC 6265bis
/// section 4.1.3); on plain-http loopback the same names without it. None is ever SameSite=None.
public struct CookieNames: Sendable {
    public let isSecure: Bool

    public init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    public func session(of team: TeamID) -> String {
        prefix + "pippin-\(team)"
    }

    public var browser: String { prefix + "pippin-browser" }

    /// A cookie with the attributes all of ours have.
    ///
    /// All our values are base64url with dots between. Any other octet is left out: whatever a value is made of, it does
    /// not end the process.
    public func cookie(_ name: String, _ value: String, maxAge: Duration? = nil) -> SetCookie {
        let isSound = value.utf8.allSatisfy(PercentCoding.isUnreserved)
        let value =
            isSound ? value : String(decoding: value.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        do throws(SetCookie.Failure) {
            return try SetCookie(name, value, maxAge: maxAge, isSecure: isSecure, sameSite: .lax)
        } catch {
            preconditionFailure("a cookie of ours cannot be written: \(error)")
        }
    }

    /// Makes the browser forget the cookie.
    public func forgotten(_ name: String) -> SetCookie {
        cookie(name, "", maxAge: .zero)
    }

    private var prefix: String { isSecure ? "__Host-" : "" }
}
