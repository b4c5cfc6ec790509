import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The person's own page: apps, sessions, ways of signing in, data.
struct AccountPage: HostedPage {
    static let template = "hosted/account"
    static let fields =
        frameFields
        .group("person", PersonView.fields) { $0.person }
        .text("csrf") { $0.formToken }
        // The accounts of the system team are those that sign in to the console.
        .optionalText("consoleURL") { $0.team == .system ? "/console" : nil }
        .optionalWords("done") { page in page.done.flatMap { $0.isNone ? nil : $0.words.asWords } }
        .optionalWords("undone") { page in page.done.flatMap { $0.isNone ? $0.words.asWords : nil } }
        .list("apps", AppRow.fields) { $0.apps }
        .list("sessions", SessionRow.fields) { $0.sessions }
        .flag("others") { $0.sessions.contains { !$0.isCurrent } }
        .text("othersURL") { TeamRoutes.otherSessions.link($0.team) }
        .optionalText("passwordURL") { $0.hasPassword ? TeamRoutes.ownPassword.link($0.team) : nil }
        .optionalText("emailURL") { $0.hasPassword ? TeamRoutes.ownEmail.link($0.team) : nil }
        .optionalGroup("factors", FactorSectionView.fields) { $0.factors }
        .optionalGroup("apple", AppleSectionView.fields) { $0.apple }
        .text("dataURL") { TeamRoutes.ownData.link($0.team) }
        .optionalText("deletionURL") { $0.team == .system ? nil : TeamRoutes.deletion.link($0.team) }
        .text("signOutURL") { TeamRoutes.sessionEnd.link($0.team) }

    let frame: HostedFrame
    let team: TeamID
    let person: PersonView
    let formToken: String
    let done: AccountChange?
    let hasPassword: Bool
    /// Nil where the team wants no second factors.
    let factors: FactorSectionView?
    /// Nil where nobody can connect an account at Apple.
    let apple: AppleSectionView?
    let apps: [AppRow]
    let sessions: [SessionRow]
}

/// An app that uses the account.
struct AppRow: Sendable {
    let team: TeamID
    let app: GrantedApp
    /// The address the app was given in the place of the person's own.
    let relayAddress: String?

    static let fields = Fields<AppRow>()
        .text("name") { $0.app.name }
        .words("since") { Phrase("hosted.account.since", ["when": $0.app.consent.grantedAt]) }
        .words("knows") { $0.knows }
        .optionalWords("relay") { $0.relay }
        .text("relayURL") { TeamRoutes.appRelay.link($0.team, $0.app.consent.appID) }
        .text("relayValue") { $0.app.consent.forwardsMail ? "off" : "on" }
        .words("relayButton") {
            $0.app.consent.forwardsMail
                ? Phrase("hosted.account.relay-stop") : Phrase("hosted.account.relay-start")
        }
        .text("stopURL") { TeamRoutes.appEnd.link($0.team, $0.app.consent.appID) }

    private var knows: any Wording {
        if let given = app.consent.providerEmail, given.isPrivate, app.consent.email == .shared {
            return Phrase("hosted.account.gets-relay", ["address": given.address.rawValue])
        }
        return switch (app.consent.name != nil, app.consent.email) {
        case (false, .withheld): Phrase("hosted.account.gets-nothing")
        case (true, .withheld): Phrase("hosted.account.gets-name")
        case (false, .shared): Phrase("hosted.account.gets-email")
        case (true, .shared): Phrase("hosted.account.gets-both")
        case (_, .hidden): Phrase("hosted.account.gets-relay", ["address": relayAddress ?? ""])
        }
    }

    private var relay: Phrase? {
        guard app.consent.email == .hidden else { return nil }
        return app.consent.forwardsMail
            ? Phrase("hosted.account.relay-on") : Phrase("hosted.account.relay-off")
    }
}

/// A browser in which the person is signed in.
struct SessionRow: Sendable {
    let team: TeamID
    let session: SessionSummary
    let isCurrent: Bool

    static let fields = Fields<SessionRow>()
        .text("name") { BrowserName(userAgent: $0.session.userAgent).text }
        .words("place") { Phrase("hosted.account.session-from", ["ip": $0.session.ip]) }
        .words("seen") { Phrase("hosted.account.session-seen", ["when": $0.session.lastSeenAt]) }
        .flag("current") { $0.isCurrent }
        .text("endURL") { TeamRoutes.oneSession.link($0.team, $0.session.id) }
}
