import Core
import Directory
import HTTP
import Platform

/// Endpoints of the pages on which users manage their account at a team.
struct AccountEndpoints: Sendable {
    let steps: AccountSteps
    let home: AccountHome
    let apps: AccountApps
    let data: AccountData
    let email: AccountEmail
    let password: AccountPassword
    let factors: AccountFactors
    let apple: LinkedApple

    func mount(on router: inout Router) {
        router.get(TeamRoutes.account) { request, team in
            try await steps.asPerson(request, team) { try await home.show($0) }
        }
        router.get(TeamRoutes.changePassword) { changePassword($0) }
        factors.mount(on: &router)
        apple.mount(on: &router)
        router.post(TeamRoutes.sessionEnd, .form) { try await home.signOut($0, $1) }
        router.get(TeamRoutes.appEnd) { request, team, app in
            try await steps.asPerson(request, team) { try await apps.askToStop($0, app) }
        }
        router.post(TeamRoutes.appEnd, .form) { request, team, app in
            try await steps.asPerson(request, team) { try await apps.stop($0, app) }
        }
        router.post(TeamRoutes.appRelay, .form) { request, team, app in
            try await steps.asPerson(request, team) { try await apps.switchRelay($0, app) }
        }
        router.post(TeamRoutes.oneSession, .form) { request, team, id in
            try await steps.asPerson(request, team, ending: true) { try await home.end(id, $0) }
        }
        router.post(TeamRoutes.otherSessions, .form) { request, team in
            try await steps.asPerson(request, team, ending: true) { try await home.endOthers($0) }
        }
        router.get(TeamRoutes.ownPassword) { request, team in
            try await steps.asPerson(request, team) { try await password.askPassword($0) }
        }
        router.post(TeamRoutes.ownPassword, .form) { request, team in
            try await steps.asPerson(request, team) { try await password.changePassword($0) }
        }
        router.get(TeamRoutes.ownEmail) { request, team in
            try await steps.asPerson(request, team) { try await email.askEmail($0) }
        }
        router.post(TeamRoutes.ownEmail, .form) { request, team in
            try await steps.asPerson(request, team) { try await email.changeEmail($0) }
        }
        router.get(TeamRoutes.ownData) { request, team in
            try await steps.asPerson(request, team) { try await data.askToDownload($0) }
        }
        router.post(TeamRoutes.ownData, .form) { request, team in
            try await steps.asPerson(request, team) { try await data.download($0) }
        }
        router.get(TeamRoutes.deletion) { request, team in
            try await steps.asPerson(request, team) { try await data.askToDelete($0) }
        }
        router.post(TeamRoutes.deletion, .form) { request, team in
            try await steps.asPerson(request, team, ending: true) { try await data.delete($0) }
        }
    }

    /// Where password managers send people who are to change a password of this host (W3C, "A Well-Known URL for Changing
    /// Passwords"): to the team whose session cookie came last in this browser, or else to the console's accounts.
    private func changePassword(_ request: Request) -> Response {
        let team = steps.site.cookies.teams(in: request.cookies).last ?? .system
        var response = Response.redirect(to: TeamRoutes.ownPassword.link(team))
        response.set(.cacheControl, "no-store")
        return response
    }
}

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
