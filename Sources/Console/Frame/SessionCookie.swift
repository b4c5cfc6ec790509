import Directory
import Domain
import HTTP
import Web

/// The cookie of a session of the system team, as its hosted pages set it.
enum SessionCookie {
    /// How long the browser keeps it; the session itself may end sooner.
    private static let life = Duration.seconds(30 * 86_400)

    static func make(_ token: SessionToken, _ names: CookieNames) -> SetCookie {
        names.cookie(names.session(of: .system), token.text, maxAge: life)
    }
}
