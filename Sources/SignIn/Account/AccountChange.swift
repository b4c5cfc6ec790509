import Core
import HTTP
import Platform

/// Result of a change on the account page, shown there once.
///
/// Stored by name in a cookie that lives 60 seconds, so that no other party can put text on the page.
enum AccountChange: String, CaseIterable, Sendable {
    case stopped
    case relayOn
    case relayOff
    case sessionEnded
    case sessionsEnded
    case passwordChanged
    case factorAdded
    case factorRenamed
    case factorRemoved
    case appleConnected
    case appleDisconnected
    case appleKnown
    case appleCancelled

    private static let life = Duration.seconds(60)

    var words: Message {
        switch self {
        case .stopped: Message("hosted.account.done.stopped")
        case .relayOn: Message("hosted.account.done.relay-on")
        case .relayOff: Message("hosted.account.done.relay-off")
        case .sessionEnded: Message("hosted.account.done.session-ended")
        case .sessionsEnded: Message("hosted.account.done.sessions-ended")
        case .passwordChanged: Message("hosted.account.done.password-changed")
        case .factorAdded: Message("hosted.factors.done.added")
        case .factorRenamed: Message("hosted.factors.done.renamed")
        case .factorRemoved: Message("hosted.factors.done.removed")
        case .appleConnected: Message("hosted.apple.done.connected")
        case .appleDisconnected: Message("hosted.apple.done.disconnected")
        case .appleKnown: Message("hosted.apple.done.known")
        case .appleCancelled: Message("hosted.apple.done.cancelled")
        }
    }

    /// Whether nothing was changed.
    var isNone: Bool { self == .appleKnown || self == .appleCancelled }

    func cookie(_ names: CookieNames, of team: TeamID) -> SetCookie {
        names.cookie(Self.cookieName(names, of: team), rawValue, maxAge: Self.life)
    }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String { names.session(of: team) + "-done" }
}
