import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// Who belongs to the team, who is invited, and the form that invites.
struct MemberListPage: ConsolePage {
    static let template = "console/members/index"
    static let fields =
        frameFields
        .list("members", MemberRow.fields) { $0.members }
        .list("invitations", InvitationRow.fields) { $0.invitations }
        .optionalGroup("invite", InviteView.fields) { $0.invite }
        .optionalText("departureURL") { page in
            page.mayLeave ? MemberRoutes.departure.link(page.team) : nil
        }

    let frame: ConsoleFrame
    let team: TeamID
    let members: [MemberRow]
    let invitations: [InvitationRow]
    /// Absent for those who may not invite.
    let invite: InviteView?
    /// The last owner cannot go.
    let mayLeave: Bool
}

/// A member as the list shows them.
struct MemberRow: Sendable {
    let team: TeamID
    let member: Member
    /// Nil when the account has been deleted between two reads.
    let user: User?
    let isSelf: Bool
    let canChange: Bool

    var person: PersonView {
        PersonView(name: user?.name.full ?? member.account.rawValue, email: user?.email?.rawValue)
    }

    static let fields = Fields<MemberRow>()
        .optionalText("url") { row in
            row.canChange ? MemberRoutes.member.link(row.team, row.member.account) : nil
        }
        .group("person", PersonView.fields) { $0.person }
        .words("role") { $0.member.role.words.asWords }
        .group("since", TimeView.fields) { TimeView($0.member.since) }
        .flag("you") { $0.isSelf }
}

/// An invitation as the list shows it.
struct InvitationRow: Sendable {
    let team: TeamID
    let invitation: Invitation
    let isOpen: Bool
    let canChange: Bool

    static let fields = Fields<InvitationRow>()
        .text("email") { $0.invitation.email.rawValue }
        .words("role") { $0.invitation.role.words.asWords }
        .group("expires", TimeView.fields) { TimeView($0.invitation.expiresAt) }
        .flag("open") { $0.isOpen }
        .optionalText("resendURL") { row in
            row.canChange ? MemberRoutes.resending.link(row.team, row.invitation.id) : nil
        }
        .optionalText("withdrawURL") { row in
            row.canChange ? MemberRoutes.withdrawal.link(row.team, row.invitation.id) : nil
        }
}

/// The form that invites somebody.
struct InviteView: Sendable {
    let team: TeamID
    let form: InviteForm
    /// The roles that the one before the page may give.
    let roles: [Role]

    static let fields = Fields<InviteView>()
        .text("action") { MemberRoutes.invitations.link($0.team) }
        .list("errors", FormError.fields) { $0.form.errors.summary }
        .group("email", FieldView.fields) { $0.form.emailView }
        .group("role", ChoicesView.fields) { $0.form.roleView($0.roles) }
}
