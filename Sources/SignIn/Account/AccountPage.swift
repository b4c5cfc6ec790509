import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Account page of the user: apps, sessions, sign-in methods, data.
struct AccountPage: FramedPage {
    static let template = "hosted/account"
    static let fields = frameFields.with {
        $0.group("person", PersonView.fields) { $0.person }
        $0.text("csrf") { $0.formToken }
        // Accounts of the system team sign in to the console.
        $0.optionalText("consoleURL") { $0.team == .system ? "/console" : nil }
        $0.optionalWords("done") { page in page.done.flatMap { $0.isNone ? nil : $0.words.localizedText } }
        $0.optionalWords("undone") { page in page.done.flatMap { $0.isNone ? $0.words.localizedText : nil } }
        $0.list("apps", AppRow.fields) { $0.apps }
        $0.list("sessions", SessionRow.fields) { $0.sessions }
        $0.flag("others") { $0.sessions.contains { !$0.isCurrent } }
        $0.text("othersURL") { TeamRoutes.otherSessions.link($0.team) }
        $0.optionalText("passwordURL") { $0.hasPassword ? TeamRoutes.ownPassword.link($0.team) : nil }
        $0.optionalText("emailURL") { $0.hasPassword ? TeamRoutes.ownEmail.link($0.team) : nil }
        $0.optionalGroup("factors", FactorSectionView.fields) { $0.factors }
        $0.optionalGroup("apple", AppleSectionView.fields) { $0.apple }
        $0.text("dataURL") { TeamRoutes.ownData.link($0.team) }
        $0.optionalText("deletionURL") { $0.team == .system ? nil : TeamRoutes.deletion.link($0.team) }
        $0.text("signOutURL") { TeamRoutes.sessionEnd.link($0.team) }
    }

    let frame: HostedFrame
    let team: TeamID
    let person: PersonView
    let formToken: String
    let done: AccountChange?
    let hasPassword: Bool
    /// Nil if the team offers no second factors.
    let factors: FactorSectionView?
    /// Nil if users of the team cannot link an Apple account.
    let apple: AppleSectionView?
    let apps: [AppRow]
    let sessions: [SessionRow]
}

/// Browser in which the user is signed in.
struct SessionRow: Sendable {
    let team: TeamID
    let session: SessionSummary
    let isCurrent: Bool

    static let fields = Fields<SessionRow> {
        $0.words("name") { BrowserName(userAgent: $0.session.userAgent) }
        $0.words("place") { Message("hosted.account.session-from", ["ip": $0.session.ip]) }
        $0.words("seen") { Message("hosted.account.session-seen", ["when": $0.session.lastSeenAt]) }
        $0.flag("current") { $0.isCurrent }
        $0.text("endURL") { TeamRoutes.oneSession.link($0.team, $0.session.id) }
    }
}
