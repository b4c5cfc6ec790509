import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// A group of apps that a person uses.
struct UserConsentRow: Sendable {
    let granted: GrantedApp
    let team: TeamID
    let subject: Subject
    let mayEnd: Bool

    static let fields = Fields<UserConsentRow>()
        .text("appID") { $0.granted.name }
        .text("url") { ConsoleRoutes.appID.link($0.team, $0.granted.consent.appID) }
        .words("shared") { $0.shared }
        .group("time", TimeView.fields) { TimeView($0.granted.consent.grantedAt) }
        .optionalText("endURL") { row in
            row.mayEnd ? UserRoutes.consentEnd.link(row.team, row.subject, row.granted.consent.appID) : nil
        }

    private var shared: Phrase {
        let consent = granted.consent
        switch (consent.name == nil, consent.email) {
        case (true, .withheld): return Phrase("console.users.shared.nothing")
        case (true, .shared): return Phrase("console.users.shared.email")
        case (true, .hidden): return Phrase("console.users.shared.relay")
        case (false, .withheld): return Phrase("console.users.shared.name")
        case (false, .shared): return Phrase("console.users.shared.name-email")
        case (false, .hidden): return Phrase("console.users.shared.name-relay")
        }
    }
}

/// A browser that a person is signed in with.
struct UserSessionRow: Sendable {
    let session: SessionSummary

    static let fields = Fields<UserSessionRow>()
        .words("device") { BrowserName.words(for: $0.session.userAgent) }
        .text("ip") { $0.session.ip }
        .group("started", TimeView.fields) { TimeView($0.session.startedAt) }
        .group("lastSeen", TimeView.fields) { TimeView($0.session.lastSeenAt) }
}

/// A token that an app holds for a person.
struct UserTokenRow: Sendable {
    let token: RefreshTokenSummary
    let team: TeamID
    let subject: Subject
    let mayRevoke: Bool

    static let fields = Fields<UserTokenRow>()
        .text("client") { $0.token.client.rawValue }
        .optionalText("revokeURL") { row in
            row.mayRevoke ? UserRoutes.tokenRevocation.link(row.team, row.subject, row.token.id) : nil
        }
        .group("issued", TimeView.fields) { TimeView($0.token.createdAt) }
        .optionalGroup("lastUsed", TimeView.fields) { row in
            row.token.lastUsedAt > row.token.createdAt ? TimeView(row.token.lastUsedAt) : nil
        }
}

/// A sign-in of a person.
struct UserFlowRow: Sendable {
    let flow: Flow
    let team: TeamID
    let now: Timestamp

    static let fields = Fields<UserFlowRow>()
        .text("url") { ConsoleRoutes.flow.link($0.team, $0.flow.id) }
        .text("client") { $0.flow.clientID?.rawValue ?? "" }
        .group("badge", BadgeView.fields) { FlowStanding.badge(of: $0.flow, at: $0.now) }
        .group("time", TimeView.fields) { TimeView($0.flow.id.startedAt) }
}
