import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Open invitations to create an account, with the invitation form.
struct UserInvitationListPage: ConsolePage {
    static let template = "console/users/invitations"
    static let fields = frameFields.with {
        $0.list("invitations", UserInvitationRow.fields) { $0.invitations }
        $0.optionalWords("count") { page in
            page.invitations.isEmpty
                ? nil : Message("console.user-invitations.open", count: page.invitations.count).localizedText
        }
        $0.words("policy") { $0.policy.localizedText }
        $0.flag("closed") { $0.isClosed }
        $0.optionalText("settingsURL") { page in page.maySet ? SettingsRoutes.settings.link(page.team) : nil }
        $0.optionalGroup("invite", UserInviteView.fields) { $0.invite }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let registration: Registration
    let invitations: [UserInvitationRow]
    /// Nil if the account may not invite, or if registration is off.
    let invite: UserInviteView?
    let maySet: Bool

    private var isClosed: Bool { registration == .off }

    private var policy: Message {
        switch registration {
        case .open: Message("console.user-invitations.policy.open")
        case .invitation: Message("console.user-invitations.policy.invitation")
        case .off: Message("console.user-invitations.policy.off")
        }
    }
}

/// An invitation in the list.
struct UserInvitationRow: Sendable {
    let team: TeamID
    let invitation: UserInvitation
    let canChange: Bool

    static let fields = Fields<UserInvitationRow> {
        $0.text("email") { $0.invitation.email.rawValue }
        $0.group("expires", TimeView.fields) { TimeView($0.invitation.expiresAt) }
        $0.optionalText("resendURL") { row in
            row.canChange ? UserInvitationRoutes.resending.link(row.team, row.invitation.id) : nil
        }
        $0.optionalText("withdrawURL") { row in
            row.canChange ? UserInvitationRoutes.withdrawal.link(row.team, row.invitation.id) : nil
        }
    }
}

/// The invitation form.
struct UserInviteView: Sendable {
    let team: TeamID
    let form: UserInviteForm

    static let fields = Fields<UserInviteView> {
        $0.text("action") { UserInvitationRoutes.list.link($0.team) }
        $0.list("errors", FormError.fields) { $0.form.errors.summary }
        $0.group("email", FieldView.fields) { $0.form.emailView }
        $0.group("language", SelectView.fields) { $0.form.languageView }
    }
}
