import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Renders the page with members, invitations and the invitation form.
struct MemberRoster: Sendable {
    private let server: ServerContext
    private let members: MembershipStore
    private let invitations: InvitationStore
    private let users: UserStore
    private let page: LivePage<MemberListPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        server = parts.server
        members = MembershipStore(parts.database)
        invitations = InvitationStore(parts.database)
        users = UserStore(parts.database)
        page = try parts.site.pages.page(MemberListPage.self)
    }

    /// Renders the page; after a rejected invitation with its input and errors.
    ///
    /// Runs three statements whatever the team's size: members, their accounts, invitations.
    func respond(_ context: TeamContext, _ form: InviteForm = InviteForm()) async throws -> Response {
        let team = context.teamID
        let listed = try await members.list(in: team)
        let found = try await users.find(listed.map(\.account), in: .system)
        // Indexed, because searching the array for each member would take quadratic time.
        let accounts = Dictionary(found.map { ($0.subject, $0) }) { first, _ in first }
        let open = try await invitations.list(in: team)
        let now = server.clock()
        let owners = listed.count { $0.role == .owner }
        let view = MemberListPage(
            frame: context.frame(Message("console.members.title")), team: team,
            members: listed.map { row(of: $0, accounts, context) },
            invitations: open.map { invitation in
                InvitationRow(
                    team: team, invitation: invitation, isOpen: invitation.isOpen(at: now),
                    canChange: context.role.mayManage(invitation.role))
            },
            invite: context.may(.changeMembers)
                ? InviteView(team: team, form: form, roles: context.role.grantable) : nil,
            mayLeave: context.role != .owner || owners > 1)
        return context.site.respond(page, view, status: form.errors.isEmpty ? .ok : .unprocessableContent)
    }

    private func row(of member: Member, _ accounts: [Subject: User], _ context: TeamContext) -> MemberRow {
        MemberRow(
            team: context.teamID, member: member, user: accounts[member.account],
            isSelf: member.account == context.account.subject,
            canChange: context.may(.changeMembers) && context.role.mayManage(member.role))
    }
}
