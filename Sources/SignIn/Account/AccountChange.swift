import Bytes
import Domain
import HTTP
import Web

/// What a person just did on their own page, said there once.
///
/// It travels in a cookie of a minute, as one of these names: nobody else can put words there.
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

    var words: Phrase {
        switch self {
        case .stopped: Phrase("hosted.account.done.stopped")
        case .relayOn: Phrase("hosted.account.done.relay-on")
        case .relayOff: Phrase("hosted.account.done.relay-off")
        case .sessionEnded: Phrase("hosted.account.done.session-ended")
        case .sessionsEnded: Phrase("hosted.account.done.sessions-ended")
        case .passwordChanged: Phrase("hosted.account.done.password-changed")
        case .factorAdded: Phrase("hosted.factors.done.added")
        case .factorRenamed: Phrase("hosted.factors.done.renamed")
        case .factorRemoved: Phrase("hosted.factors.done.removed")
        case .appleConnected: Phrase("hosted.apple.done.connected")
        case .appleDisconnected: Phrase("hosted.apple.done.disconnected")
        case .appleKnown: Phrase("hosted.apple.done.known")
        case .appleCancelled: Phrase("hosted.apple.done.cancelled")
        }
    }

    /// Whether nothing was done after all.
    var isNone: Bool { self == .appleKnown || self == .appleCancelled }

    func cookie(_ names: CookieNames, of team: TeamID) -> SetCookie {
        names.cookie(Self.cookieName(names, of: team), rawValue, maxAge: Self.life)
    }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String {
        names.session(of: team) + "-done"
    }
}
