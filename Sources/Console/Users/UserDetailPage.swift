import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// Everything a team may see of one of its people.
struct UserDetailPage: ConsolePage {
    static let template = "console/users/show"
    static let fields =
        frameFields
        .list("errors", FormError.fields) { $0.errors.summary }
        .group("person", PersonView.fields) { $0.person }
        .group("sub", CopyView.fields) { CopyView("user ID", $0.user.subject.rawValue) }
        .text("source") { $0.detail.source }
        .group("state", BadgeView.fields) { $0.state }
        .group("created", TimeView.fields) { TimeView($0.user.createdAt) }
        .optionalGroup("lastSignIn", TimeView.fields) { $0.user.lastSignInAt.map { TimeView($0) } }
        .optionalGroup("relay", CopyView.fields) { page in
            page.user.relayAddress.map { CopyView("relay address", $0.rawValue) }
        }
        .list("consents", UserConsentRow.fields) { $0.consents }
        .list("sessions", UserSessionRow.fields) { $0.detail.sessions.map { UserSessionRow(session: $0) } }
        .list("tokens", UserTokenRow.fields) { $0.tokens }
        .list("events", AuditLine.fields) { $0.events }
        .optionalText("signOutURL") { $0.mayChange ? UserRoutes.signOut.link($0.team, $0.user.subject) : nil }
        .optionalGroup("danger", DangerView.fields) { $0.mayChange ? $0.danger : nil }

    let frame: ConsoleFrame
    let team: TeamID
    let detail: UserDetail
    let events: [AuditLine]
    let mayChange: Bool
    /// What was typed into the form of the deletion, and what is wrong with it.
    var confirmation = ""
    var reason = ""
    var errors = FieldErrors()

    private var user: User { detail.user }

    private var person: PersonView {
        PersonView(name: user.shownName, email: user.email?.rawValue)
    }

    private var state: BadgeView {
        user.suspendedAt == nil ? BadgeView(.good, "Active") : BadgeView(.bad, "Suspended")
    }

    private var consents: [UserConsentRow] {
        detail.consents.map { granted in
            UserConsentRow(granted: granted, team: team, subject: user.subject, mayEnd: mayChange)
        }
    }

    private var tokens: [UserTokenRow] {
        detail.refreshTokens.filter { $0.revokedAt == nil }.map { UserTokenRow(token: $0) }
    }

    private var danger: DangerView {
        let expected = user.confirmationText
        return DangerView(
            action: UserRoutes.deletion.link(team, user.subject),
            summary: "The account, its sessions, consents and tokens are removed for good.",
            consequences: [
                "Apps that hold a token find it revoked at once.",
                "Somebody who comes back later is a new person with a new user ID.",
                "The audit log keeps what happened, under the user ID alone.",
            ],
            expected: expected,
            confirmation: FieldView(
                "confirmation",
                label: "Type \(expected) to confirm",
                value: confirmation,
                autocomplete: "off",
                error: errors["confirmation"],
                isCode: true
            ),
            reason: FieldView(
                "reason",
                label: "Reason",
                value: reason,
                hint: "Kept in the audit log.",
                error: errors["reason"]
            ),
            button: "Delete this user",
            version: ""
        )
    }
}

extension User {
    /// What has to be typed before the user is deleted.
    var confirmationText: String { email?.rawValue ?? subject.rawValue }
}

extension UserDetail {
    fileprivate var source: String {
        hasPassword || !logins.isEmpty ? "Directory" : "Apple"
    }
}
