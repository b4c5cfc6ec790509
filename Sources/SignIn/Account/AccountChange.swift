import Core
import HTTP
import Platform

/// Result of a change on the account page, shown there once.
///
/// Stored by name in a cookie that lives 60 seconds, so that no other party can put text on the page.
enum AccountChange: String, CaseIterable, Sendable {
    case stopped
    case relayOn = "relay-on"
    case relayOff = "relay-off"
    case sessionEnded = "session-ended"
    case sessionsEnded = "sessions-ended"
    case passwordChanged = "password-changed"
    case factorAdded = "factor-added"
    case factorRenamed = "factor-renamed"
    case factorRemoved = "factor-removed"
    case appleConnected = "apple-connected"
    case appleDisconnected = "apple-disconnected"
    case appleKnown = "apple-known"
    case appleCancelled = "apple-cancelled"

    private static let life = Duration.seconds(60)

    var words: Message { Message(in: "hosted.account.done", rawValue) }

    /// Whether nothing was changed.
    var isNone: Bool { self == .appleKnown || self == .appleCancelled }

    func cookie(_ names: CookieNames, of team: TeamID) -> SetCookie {
        names.cookie(Self.cookieName(names, of: team), rawValue, maxAge: Self.life)
    }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String { names.session(of: team) + "-done" }
}
