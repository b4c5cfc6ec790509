import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// Who is invited to make an account, and the form that invites.
struct UserInvitationListPage: ConsolePage {
    static let template = "console/users/invitations"
    static let fields =
        frameFields
        .list("invitations", UserInvitationRow.fields) { $0.invitations }
        .optionalWords("count") { page in
            page.invitations.isEmpty
                ? nil : Phrase("console.user-invitations.open", count: page.invitations.count).asWords
        }
        .words("policy") { $0.policy.asWords }
        .flag("closed") { $0.isClosed }
        .optionalText("settingsURL") { page in
            page.maySet ? SettingsRoutes.settings.link(page.team) : nil
        }
        .optionalGroup("invite", UserInviteView.fields) { $0.invite }

    let frame: ConsoleFrame
    let team: TeamID
    let registration: Registration
    let invitations: [UserInvitationRow]
    /// Absent for those who may not invite, and where nobody may register.
    let invite: UserInviteView?
    let maySet: Bool

    private var isClosed: Bool { registration == .off }

    private var policy: Phrase {
        switch registration {
        case .open: Phrase("console.user-invitations.policy.open")
        case .invitation: Phrase("console.user-invitations.policy.invitation")
        case .off: Phrase("console.user-invitations.policy.off")
        }
    }
}

/// An invitation as the list shows it.
struct UserInvitationRow: Sendable {
    let team: TeamID
    let invitation: UserInvitation
    let canChange: Bool

    static let fields = Fields<UserInvitationRow>()
        .text("email") { $0.invitation.email.rawValue }
        .group("expires", TimeView.fields) { TimeView($0.invitation.expiresAt) }
        .optionalText("resendURL") { row in
            row.canChange ? UserInvitationRoutes.resending.link(row.team, row.invitation.id) : nil
        }
        .optionalText("withdrawURL") { row in
            row.canChange ? UserInvitationRoutes.withdrawal.link(row.team, row.invitation.id) : nil
        }
}

/// The form that invites somebody.
struct UserInviteView: Sendable {
    let team: TeamID
    let form: UserInviteForm

    static let fields = Fields<UserInviteView>()
        .text("action") { UserInvitationRoutes.list.link($0.team) }
        .list("errors", FormError.fields) { $0.form.errors.summary }
        .group("email", FieldView.fields) { $0.form.emailView }
        .group("language", SelectView.fields) { $0.form.languageView }
}
