import Accounts
import Bytes
import Directory
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Templates
import Web

/// A consent of a user for a group of apps.
struct UserConsentRow: Sendable {
    let granted: GrantedApp
    let team: TeamID
    let subject: Subject
    let mayEnd: Bool

    static let fields = Fields<UserConsentRow> {
        $0.text("appID") { $0.granted.name }
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.granted.consent.appID) }
        $0.words("shared") { $0.shared }
        $0.group("time", TimeView.fields) { TimeView($0.granted.consent.grantedAt) }
        $0.optionalText("endURL") { row in
            row.mayEnd ? UserRoutes.consentEnd.link(row.team, row.subject, row.granted.consent.appID) : nil
        }
    }

    private var shared: Message {
        let consent = granted.consent
        switch (consent.name == nil, consent.email) {
        case (true, .withheld): return Message("console.users.shared.nothing")
        case (true, .shared): return Message("console.users.shared.email")
        case (true, .hidden): return Message("console.users.shared.relay")
        case (false, .withheld): return Message("console.users.shared.name")
        case (false, .shared): return Message("console.users.shared.name-email")
        case (false, .hidden): return Message("console.users.shared.name-relay")
        }
    }
}

/// A session of a user in a browser.
struct UserSessionRow: Sendable {
    let session: SessionSummary

    static let fields = Fields<UserSessionRow> {
        $0.words("device") { BrowserName(userAgent: $0.session.userAgent) }
        $0.text("ip") { $0.session.ip }
        $0.group("started", TimeView.fields) { TimeView($0.session.startedAt) }
        $0.group("lastSeen", TimeView.fields) { TimeView($0.session.lastSeenAt) }
    }
}

/// A refresh token that an app holds for a user.
struct UserTokenRow: Sendable {
    let token: RefreshTokenSummary
    let team: TeamID
    let subject: Subject
    let mayRevoke: Bool

    static let fields = Fields<UserTokenRow> {
        $0.text("client") { $0.token.client.rawValue }
        $0.optionalText("revokeURL") { row in
            row.mayRevoke ? UserRoutes.tokenRevocation.link(row.team, row.subject, row.token.id) : nil
        }
        $0.group("issued", TimeView.fields) { TimeView($0.token.createdAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { row in
            row.token.lastUsedAt > row.token.createdAt ? TimeView(row.token.lastUsedAt) : nil
        }
    }
}

/// A sign-in trace of a user.
struct UserTraceRow: Sendable {
    let trace: SignInTrace
    let team: TeamID
    let now: Timestamp

    static let fields = Fields<UserTraceRow> {
        $0.text("url") { ConsoleRoutes.trace.link($0.team, $0.trace.id) }
        $0.text("client") { $0.trace.clientID?.rawValue ?? "" }
        $0.group("badge", BadgeView.fields) { TraceStatus.badge(of: $0.trace, at: $0.now) }
        $0.group("time", TimeView.fields) { TimeView($0.trace.id.startedAt) }
    }
}
