import Core
public import HTTP
public import Platform

/// Names and attributes of Pippin's cookies: a session cookie per team, a cookie per browser for interactions.
///
/// Over TLS the names carry the `__Host-` prefix, which binds the cookies to this host, to `/` and to TLS (RFC 6265bis
/// section 4.1.3); on plain-http loopback they have no prefix. No cookie has `SameSite=None`.
public struct CookieNames: Sendable {
    public let isSecure: Bool

    public init(isSecure: Bool) { self.isSecure = isSecure }

    public func session(of team: TeamID) -> String { prefix + "pippin-\(team)" }

    /// The teams with a session in this browser, as far as its cookies tell.
    public func teams(in cookies: Cookies) -> [TeamID] {
        cookies.names.compactMap { name in
            guard name.hasPrefix(prefix + "pippin-") else { return nil }
            return TeamID(rawValue: String(name.dropFirst(prefix.utf8.count + "pippin-".utf8.count)))
        }
    }

    public var browser: String { prefix + "pippin-browser" }

    /// Secret of the browser, from which its form tokens are made; nil if it sent none, or none of ours.
    public func browser(in cookies: Cookies) -> String? {
        cookies[browser].flatMap { Base64URL.decode($0)?.count == 16 ? $0 : nil }
    }

    /// Returns a cookie with the attributes that all of Pippin's cookies share.
    ///
    /// Values are base64url parts joined by dots. Any other byte is removed, so that no value can end the process.
    public func cookie(_ name: String, _ value: String, maxAge: Duration? = nil) -> SetCookie {
        let isSound = value.utf8.allSatisfy(PercentCoding.isUnreserved)
        let value = isSound ? value : String(decoding: value.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        do throws(SetCookie.Failure) {
            return try SetCookie(name, value, maxAge: maxAge, isSecure: isSecure, sameSite: .lax)
        } catch { preconditionFailure("a cookie of ours cannot be written: \(describing: error)") }
    }

    /// Returns a cookie that makes the browser delete the cookie of that name.
    public func forgotten(_ name: String) -> SetCookie { cookie(name, "", maxAge: .zero) }

    private var prefix: String { isSecure ? "__Host-" : "" }
}
