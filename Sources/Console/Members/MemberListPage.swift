import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Members and invitations of a team, with the invitation form.
struct MemberListPage: ConsolePage {
    static let template = "console/members/index"
    static let fields = frameFields.with {
        $0.list("members", MemberRow.fields) { $0.members }
        $0.list("invitations", InvitationRow.fields) { $0.invitations }
        $0.optionalGroup("invite", InviteView.fields) { $0.invite }
        $0.optionalText("departureURL") { page in page.mayLeave ? MemberRoutes.departure.link(page.team) : nil }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let members: [MemberRow]
    let invitations: [InvitationRow]
    /// Nil if the account may not invite.
    let invite: InviteView?
    /// False for the last owner.
    let mayLeave: Bool
}

/// A member in the list.
struct MemberRow: Sendable {
    let team: TeamID
    let member: Member
    /// Nil if the account was deleted between two queries.
    let user: User?
    let isSelf: Bool
    let canChange: Bool

    var person: PersonView {
        PersonView(name: user?.name.full ?? member.account.rawValue, email: user?.email?.rawValue)
    }

    static let fields = Fields<MemberRow> {
        $0.optionalText("url") { row in row.canChange ? MemberRoutes.member.link(row.team, row.member.account) : nil }
        $0.group("person", PersonView.fields) { $0.person }
        $0.words("role") { $0.member.role.words.localizedText }
        $0.group("since", TimeView.fields) { TimeView($0.member.since) }
        $0.flag("you") { $0.isSelf }
    }
}

/// An invitation in the list.
struct InvitationRow: Sendable {
    let team: TeamID
    let invitation: Invitation
    let isOpen: Bool
    let canChange: Bool

    static let fields = Fields<InvitationRow> {
        $0.text("email") { $0.invitation.email.rawValue }
        $0.words("role") { $0.invitation.role.words.localizedText }
        $0.group("expires", TimeView.fields) { TimeView($0.invitation.expiresAt) }
        $0.flag("open") { $0.isOpen }
        $0.optionalText("resendURL") { row in
            row.canChange ? MemberRoutes.resending.link(row.team, row.invitation.id) : nil
        }
        $0.optionalText("withdrawURL") { row in
            row.canChange ? MemberRoutes.withdrawal.link(row.team, row.invitation.id) : nil
        }
    }
}

/// The invitation form.
struct InviteView: Sendable {
    let team: TeamID
    let form: InviteForm
    /// The roles that the signed-in member may assign.
    let roles: [Role]

    static let fields = Fields<InviteView> {
        $0.text("action") { MemberRoutes.invitations.link($0.team) }
        $0.list("errors", FormError.fields) { $0.form.errors.summary }
        $0.group("email", FieldView.fields) { $0.form.emailView }
        $0.group("role", ChoicesView.fields) { $0.form.roleView($0.roles) }
    }
}
