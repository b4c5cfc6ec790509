import Crypto
import Directory
import HTTP
import Platform
import SignIn

/// Session cookie of the system team, identical to the one its hosted pages set.
enum SessionCookie {
    /// Lifetime of the cookie; the session itself may end sooner.
    private static let life = Duration.seconds(30 * 86_400)

    static func make(_ token: SessionToken, _ names: CookieNames) -> SetCookie {
        names.cookie(names.session(of: .system), token.text, maxAge: life)
    }
}
