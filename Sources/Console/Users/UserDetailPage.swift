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
        .list("errors", FormError.fields) { page in
            page.errors.summary + (page.confirmation?.problems.summary() ?? [])
        }
        .group("person", PersonView.fields) { $0.person }
        .group("sub", CopyView.fields) {
            CopyView(Phrase("console.users.copy-sub"), $0.user.subject.rawValue)
        }
        .words("source") { $0.source }
        .list("apple", UserAppleView.fields) { $0.apple }
        .words("factors") { $0.factorCount.asWords }
        .text("factorsURL") { UserRoutes.factors.link($0.team, $0.user.subject) }
        .group("state", BadgeView.fields) { $0.state }
        .group("created", TimeView.fields) { TimeView($0.user.createdAt) }
        .optionalGroup("lastSignIn", TimeView.fields) { $0.user.lastSignInAt.map { TimeView($0) } }
        .optionalGroup("relay", CopyView.fields) { page in
            page.user.relayAddress.map { CopyView(Phrase("console.users.copy-relay"), $0.rawValue) }
        }
        .list("consents", UserConsentRow.fields) { $0.consents }
        .list("sessions", UserSessionRow.fields) { $0.detail.sessions.map { UserSessionRow(session: $0) } }
        .list("tokens", UserTokenRow.fields) { $0.tokens }
        .list("events", AuditLine.fields) { $0.events }
        .list("flows", UserFlowRow.fields) { $0.flows }
        .text("flowsURL") { page in
            let sub = PercentCoding.encode(page.user.subject.rawValue)
            return "\(ConsoleRoutes.flows.link(page.team))?person=\(sub)"
        }
        .optionalText("revokeAllURL") { page in
            page.mayChange ? UserRoutes.tokenRevocations.link(page.team, page.user.subject) : nil
        }
        .optionalText("exportURL") { $0.mayChange ? UserRoutes.export.link($0.team, $0.user.subject) : nil }
        .optionalText("liftURL") { page in
            page.mayChange && page.isSuspended
                ? UserRoutes.suspensionEnd.link(page.team, page.user.subject) : nil
        }
        .optionalGroup("suspension", Suspension.fields) {
            $0.mayChange && !$0.isSuspended ? $0.suspension : nil
        }
        .optionalText("signOutURL") { $0.mayChange ? UserRoutes.signOut.link($0.team, $0.user.subject) : nil }
        .optionalGroup("danger", DangerView.fields) { $0.mayChange ? $0.danger : nil }

    let frame: ConsoleFrame
    let team: TeamID
    let detail: UserDetail
    let refreshTokens: [RefreshTokenSummary]
    let factors: EnrolledFactors
    let apple: [UserAppleView]
    let events: [AuditLine]
    let flows: [UserFlowRow]
    let mayChange: Bool
    /// What was typed into the form of the deletion, and what is wrong with it.
    var confirmation: (typed: Confirmation, problems: FormProblems)?
    var errors = FieldErrors()
    /// What was typed as the reason of a suspension.
    var suspensionReason = ""

    /// The form that suspends somebody.
    struct Suspension: Sendable {
        let action: String
        let reason: FieldView

        static let fields = Fields<Suspension>()
            .text("action") { $0.action }
            .group("reason", FieldView.fields) { $0.reason }
    }

    private var user: User { detail.user }

    private var person: PersonView {
        PersonView(name: user.shownName, email: user.email?.rawValue)
    }

    private var state: BadgeView {
        user.suspendedAt == nil
            ? BadgeView(.good, Phrase("console.users.state.active"))
            : BadgeView(.bad, Phrase("console.users.state.suspended"))
    }

    private var factorCount: Phrase {
        let count = factors.passkeyCount + (factors.hasTOTP ? 1 : 0)
        return count == 0
            ? Phrase("console.users.factors.none") : Phrase("console.users.factors.some", count: count)
    }

    private var consents: [UserConsentRow] {
        detail.consents.map { granted in
            UserConsentRow(granted: granted, team: team, subject: user.subject, mayEnd: mayChange)
        }
    }

    private var tokens: [UserTokenRow] {
        refreshTokens.map { token in
            UserTokenRow(token: token, team: team, subject: user.subject, mayRevoke: mayChange)
        }
    }

    private var source: Phrase {
        switch (apple.isEmpty, detail.hasPassword || !detail.logins.isEmpty) {
        case (true, _): Phrase("console.users.source.directory")
        case (false, false): Phrase("console.users.source.apple")
        case (false, true): Phrase("console.users.source.both")
        }
    }

    private var isSuspended: Bool { user.suspendedAt != nil }

    private var suspension: Suspension {
        Suspension(
            action: UserRoutes.suspension.link(team, user.subject),
            reason: FieldView(
                "suspension_reason",
                label: Phrase("console.confirm.reason"),
                value: suspensionReason,
                hint: Phrase("console.confirm.reason.hint"),
                error: errors["suspension_reason"]
            )
        )
    }

    private var danger: DangerView {
        let typed = confirmation?.typed ?? Confirmation(expecting: user.confirmationText)
        return typed.view(
            action: UserRoutes.deletion.link(team, user.subject),
            summary: Phrase("console.users.delete.summary"),
            consequences: [
                Phrase("console.users.delete.tokens"),
                Phrase("console.users.delete.return"),
                Phrase("console.users.delete.audit"),
            ],
            button: Phrase("console.users.delete"),
            confirmation?.problems ?? .none
        )
    }
}

extension User {
    /// What has to be typed before the user is deleted.
    var confirmationText: String { email?.rawValue ?? subject.rawValue }
}
