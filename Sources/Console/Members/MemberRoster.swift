import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// The page that lists members and invitations; the form that invites comes back to it.
struct MemberRoster: Sendable {
    private let context: EngineContext
    private let members: MembershipStore
    private let invitations: InvitationStore
    private let users: UserStore
    private let page: LivePage<MemberListPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        context = parts.context
        members = MembershipStore(parts.database)
        invitations = InvitationStore(parts.database)
        users = UserStore(parts.database)
        page = try parts.site.pages.page(MemberListPage.self)
    }

    /// The page, with what was typed and what is wrong with it where an invitation was refused.
    ///
    /// Three statements, whatever the team's size: members, their accounts, invitations.
    func respond(_ scope: Scope, _ form: InviteForm = InviteForm(), after wait: Duration? = nil)
        async throws -> Response
    {
        let team = scope.teamID
        let listed = try await members.list(in: team)
        let found = try await users.find(listed.map(\.account), in: .system)
        // Looked for one by one they would cost the square of the team.
        let accounts = Dictionary(found.map { ($0.subject, $0) }) { first, _ in first }
        let open = try await invitations.list(in: team)
        let now = context.clock()
        let owners = listed.count { $0.role == .owner }
        let view = MemberListPage(
            frame: scope.frame(Phrase("console.members.title")),
            team: team,
            members: listed.map { row(of: $0, accounts, scope) },
            invitations: open.map { invitation in
                InvitationRow(
                    team: team,
                    invitation: invitation,
                    isOpen: invitation.isOpen(at: now),
                    canChange: scope.role.mayManage(invitation.role)
                )
            },
            invite: scope.may(.changeMembers)
                ? InviteView(team: team, form: form, roles: scope.role.grantable) : nil,
            mayLeave: scope.role != .owner || owners > 1
        )
        if let wait { return scope.site.respond(page, view, after: wait) }
        return scope.site.respond(page, view, status: form.errors.isEmpty ? .ok : .unprocessableContent)
    }

    private func row(of member: Member, _ accounts: [Subject: User], _ scope: Scope) -> MemberRow {
        MemberRow(
            team: scope.teamID,
            member: member,
            user: accounts[member.account],
            isSelf: member.account == scope.account.subject,
            canChange: scope.may(.changeMembers) && scope.role.mayManage(member.role)
        )
    }
}
