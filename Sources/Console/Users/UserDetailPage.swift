import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// Details of a user that a team may see.
struct UserDetailPage: FramedPage {
    static let template = "console/users/show"
    static let fields = frameFields.with {
        $0.errors { page in page.errors.links + (page.confirmation?.problems.links ?? []) }
        $0.group("person", PersonView.fields) { $0.person }
        $0.group("sub", CopyView.fields) { CopyView(Message("console.users.copy-sub"), $0.user.subject.rawValue) }
        $0.words("source") { $0.source }
        $0.list("apple", UserAppleView.fields) { $0.apple }
        $0.words("factors") { $0.factorCount.localizedText }
        $0.text("factorsURL") { UserRoutes.factors.link($0.team, $0.user.subject) }
        $0.group("state", BadgeView.fields) { $0.state }
        $0.group("created", TimeView.fields) { TimeView($0.user.createdAt) }
        $0.optionalGroup("lastSignIn", TimeView.fields) { $0.user.lastSignInAt.map { TimeView($0) } }
        $0.optionalGroup("relay", CopyView.fields) { page in
            page.user.relayAddress.map { CopyView(Message("console.users.copy-relay"), $0.rawValue) }
        }
        $0.rows("consents") { page in page.detail.consents.map(page.row) }
        $0.rows("sessions") { page in page.detail.sessions.map(page.row) }
        $0.rows("tokens") { page in page.refreshTokens.map(page.row) }
        $0.rows("events") { $0.events }
        $0.rows("traces") { $0.traces }
        $0.text("tracesURL") { page in
            let sub = PercentCoding.encode(page.user.subject.rawValue)
            return "\(ConsoleRoutes.traces.link(page.team))?person=\(sub)"
        }
        $0.optionalText("revokeAllURL") { page in
            page.mayChange ? UserRoutes.tokenRevocations.link(page.team, page.user.subject) : nil
        }
        $0.optionalText("exportURL") { $0.mayChange ? UserRoutes.export.link($0.team, $0.user.subject) : nil }
        $0.optionalText("liftURL") { page in
            page.mayChange && page.isSuspended ? UserRoutes.suspensionEnd.link(page.team, page.user.subject) : nil
        }
        $0.optionalGroup("suspension", Suspension.fields) { $0.mayChange && !$0.isSuspended ? $0.suspension : nil }
        $0.optionalText("signOutURL") { $0.mayChange ? UserRoutes.signOut.link($0.team, $0.user.subject) : nil }
        $0.optionalGroup("danger", DangerView.fields) { $0.mayChange ? $0.danger : nil }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let detail: UserDetail
    let refreshTokens: [RefreshTokenSummary]
    let factors: EnrolledFactors
    let apple: [UserAppleView]
    let events: [ListRow]
    let traces: [ListRow]
    let mayChange: Bool
    /// Rejected confirmation of a deletion, with its errors.
    var confirmation: Confirmation?
    var errors = FieldErrors()
    /// Reason of a suspension as entered.
    var suspensionReason = ""

    /// The form that suspends the user.
    struct Suspension: Sendable {
        let action: String
        let reason: Input

        static let fields = Fields<Suspension> {
            $0.text("action") { $0.action }
            $0.group("reason", Input.fields) { $0.reason }
        }
    }

    private var user: User { detail.user }

    private var person: PersonView { PersonView(name: user.shownName, email: user.email?.shown) }

    private var state: BadgeView {
        user.suspendedAt == nil
            ? BadgeView(.good, Message("console.users.state.active"))
            : BadgeView(.bad, Message("console.users.state.suspended"))
    }

    private var factorCount: Message {
        let count = factors.passkeyCount + (factors.hasTOTP ? 1 : 0)
        return count == 0 ? Message("console.users.factors.none") : Message("console.users.factors.some", count: count)
    }

    private var source: Message {
        switch (apple.isEmpty, detail.hasPassword || !detail.logins.isEmpty) {
        case (true, _): Message("console.users.source.directory")
        case (false, false): Message("console.users.source.apple")
        case (false, true): Message("console.users.source.both")
        }
    }

    private var isSuspended: Bool { user.suspendedAt != nil }

    private var suspension: Suspension {
        Suspension(
            action: UserRoutes.suspension.link(team, user.subject),
            reason: Input(
                "suspension_reason", Message("console.confirm.reason"), suspensionReason, autocomplete: nil,
                hint: Message("console.confirm.reason.hint"), errors: errors))
    }

    private var danger: DangerView {
        (confirmation ?? Confirmation(expecting: user.confirmationText)).view(
            action: UserRoutes.deletion.link(team, user.subject), summary: Message("console.users.delete.summary"),
            consequences: [
                Message("console.users.delete.tokens"), Message("console.users.delete.return"),
                Message("console.users.delete.audit"),
            ], button: Message("console.users.delete"))
    }
}

// Rows of the page.
extension UserDetailPage {
    private func row(_ granted: GrantedApp) -> ListRow {
        let (consent, name) = (granted.consent, granted.name)
        let end = RowPart.link(
            Message("console.users.consents.end"), UserRoutes.consentEnd.link(team, user.subject, consent.appID),
            for: name)
        let shared =
            switch (consent.name == nil, consent.email) {
            case (true, .withheld): Message("console.users.shared.nothing")
            case (true, .shared): Message("console.users.shared.email")
            case (true, .hidden): Message("console.users.shared.relay")
            case (false, .withheld): Message("console.users.shared.name")
            case (false, .shared): Message("console.users.shared.name-email")
            case (false, .hidden): Message("console.users.shared.name-relay")
            }
        return ListRow(
            name, at: ConsoleRoutes.appID.link(team, consent.appID), notes: [.text(shared)],
            end: [.text(consent.grantedAt), mayChange ? end : nil], hasArrow: false)
    }

    private func row(_ session: SessionSummary) -> ListRow {
        ListRow(
            BrowserName(userAgent: session.userAgent),
            notes: [.text(Message("console.users.sessions.since", ["ip": session.ip]), session.startedAt)],
            end: [.text(Message("console.users.sessions.last-seen"), session.lastSeenAt)])
    }

    private func row(_ token: RefreshTokenSummary) -> ListRow {
        let client = token.client.rawValue
        let revoke = RowPart.link(
            Message("console.users.tokens.revoke"), UserRoutes.tokenRevocation.link(team, user.subject, token.id),
            for: client)
        return ListRow(
            client, notes: [.text(Message("console.users.tokens.refresh-issued"), token.createdAt)],
            end: [
                .last(
                    Message("console.users.tokens.last-used"),
                    token.lastUsedAt > token.createdAt ? token.lastUsedAt : nil,
                    never: Message("console.users.tokens.never")), mayChange ? revoke : nil,
            ])
    }
}

extension User {
    /// Text to enter as confirmation of a deletion or factor reset: the email, or the `sub` without one.
    var confirmationText: String { email?.shown ?? subject.rawValue }
}

/// Apple identity of a user, with the tokens that Apple issued for it.
struct UserAppleView: Sendable {
    let identity: LinkedIdentity
    let user: User
    let tokens: [UpstreamTokenSummary]

    static let fields = Fields<UserAppleView> {
        $0.group("sub", CopyView.fields) {
            CopyView(Message("console.users.apple.copy-sub"), $0.identity.identifier.rawValue)
        }
        $0.optionalGroup("transfer", CopyView.fields) { view in
            view.identity.transferSubject.map { CopyView(Message("console.users.apple.copy-transfer"), $0) }
        }
        $0.group("state", BadgeView.fields) { $0.identity.state.badge }
        $0.group("stateTime", TimeView.fields) { TimeView($0.identity.stateAt) }
        $0.words("address") { $0.address }
        $0.words("reality") { $0.reality }
        $0.group("first", TimeView.fields) { TimeView($0.identity.createdAt) }
        $0.optionalGroup("linked", TimeView.fields) { $0.identity.linkedAt.map { TimeView($0) } }
        $0.optionalText("linkedEmail") { $0.identity.linkedAt == nil ? nil : $0.identity.email?.shown }
        $0.group("last", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        $0.optionalGroup("vault", Vault.fields) { $0.identity.vault.map(Vault.init) }
        $0.rows("tokens") { $0.tokens.map(\.row) }
    }

    /// Name and email received once in an unsigned form field.
    struct Vault: Sendable {
        let vault: LinkedIdentity.Vault

        static let fields = Fields<Vault> {
            $0.text("name") { PersonName(stored: $0.vault.givenName, $0.vault.familyName).full }
            $0.optionalText("email") { $0.vault.email }
            $0.group("received", TimeView.fields) { TimeView($0.vault.receivedAt) }
        }
    }

    private var address: Message {
        if identity.linkedAt != nil { return linkedAddress }
        guard let email = user.email else { return Message("console.users.apple.address.none") }
        guard email.isMailable else { return Message("console.users.apple.address.unmailable") }
        if user.isEmailPrivate { return Message("console.users.apple.address.relay") }
        return user.isEmailVerified
            ? Message("console.users.apple.address.own") : Message("console.users.apple.address.unverified")
    }

    /// Kind of Apple's email address, for a user who linked Apple later and keeps another address.
    private var linkedAddress: Message {
        guard let email = identity.email else { return Message("console.users.apple.address.none") }
        guard email.isMailable else { return Message("console.users.apple.address.unmailable") }
        return identity.isEmailPrivate
            ? Message("console.users.apple.address.relay") : Message("console.users.apple.address.beside")
    }

    private var reality: Message {
        switch identity.realUserStatus {
        case 0?: Message("console.users.apple.reality.unsupported")
        case 1?: Message("console.users.apple.reality.unknown")
        case 2?: Message("console.users.apple.reality.likely")
        default: Message("console.users.apple.reality.silent")
        }
    }
}

extension LinkedIdentity.State {
    fileprivate var badge: BadgeView {
        BadgeView(self, in: "console.users.apple.state", good: [.authorized], warn: [.transferred], bad: [.revoked])
    }
}

extension UpstreamTokenSummary {
    /// The token on the page of its user.
    fileprivate var row: ListRow {
        ListRow(
            clientID,
            notes: [.text(Message("console.users.apple.tokens.issued"), createdAt), problem.map { .text($0.words) }],
            end: [
                .badge(badge),
                settledAt.map { .text(Message("console.users.apple.tokens.settled"), $0) }
                    ?? .last(
                        Message("console.users.apple.tokens.validated"), validatedAt,
                        never: Message("console.users.apple.tokens.unchecked")),
            ])
    }
}
