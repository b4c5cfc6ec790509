import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Members and invitations of a team, with the invitation form.
struct MemberListPage: FramedPage {
    static let template = "console/members/index"
    static let fields = frameFields.with {
        $0.rows("members") { $0.members }
        $0.rows("invitations") { $0.invitations }
        $0.optionalGroup("invite", FormView.fields) { $0.invite }
        $0.optionalText("departureURL") { page in page.mayLeave ? MemberRoutes.departure.link(page.team) : nil }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let members: [ListRow]
    let invitations: [ListRow]
    /// Nil if the account may not invite.
    let invite: FormView?
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

    var person: PersonView { PersonView(name: user?.name.full ?? member.account.rawValue, email: user?.email?.shown) }

    /// The member in the list.
    var row: ListRow {
        ListRow(
            person.name, at: canChange ? MemberRoutes.member.link(team, member.account) : nil,
            notes: [.text(person.email)],
            end: [isSelf ? .badge(.plain, Message("console.members.you")) : nil, .text(member.role.words)],
            initial: person.initial, isPerson: true, hasArrow: false)
    }

    /// Text to enter as confirmation of a removal or transfer: the email, or the `sub` without one.
    var expected: String { user?.email?.shown ?? member.account.rawValue }
}

extension Invitation {
    /// The invitation in the list.
    func row(in team: TeamID, canChange: Bool, at now: Timestamp) -> ListRow {
        let resend = RowPart.button(
            Message("console.members.resend"), MemberRoutes.resending.link(team, id), for: email.shown)
        let withdraw = RowPart.button(
            Message("console.members.withdraw"), MemberRoutes.withdrawal.link(team, id), for: email.shown, isQuiet: true
        )
        let state =
            isOpen(at: now)
            ? Message("console.members.with-role.expires", ["role": role.words])
            : Message("console.members.with-role.expired", ["role": role.words])
        return ListRow(email.shown, notes: [.text(state, expiresAt)], end: canChange ? [resend, withdraw] : [])
    }
}

/// Renders the page with members, invitations and the invitation form.
struct MemberRoster: Sendable {
    let parts: Console.Parts

    /// Renders the page; after a rejected invitation with its input and errors.
    ///
    /// Runs three statements whatever the team's size: members, their accounts, invitations.
    func respond(_ context: TeamContext, _ form: InviteForm = InviteForm()) async throws -> Response {
        let team = context.teamID
        let listed = try await MembershipStore(parts.database).list(in: team)
        let found = try await UserStore(parts.database).find(listed.map(\.account), in: .system)
        // Indexed, because searching the array for each member would take quadratic time.
        let accounts = Dictionary(found.map { ($0.subject, $0) }) { first, _ in first }
        let open = try await InvitationStore(parts.database).list(in: team)
        let now = parts.server.clock()
        let owners = listed.count { $0.role == .owner }
        let view = MemberListPage(
            frame: context.frame(Message("console.members.title")), team: team,
            members: listed.map { row(of: $0, accounts, context).row },
            invitations: open.map { $0.row(in: team, canChange: context.role.mayManage($0.role), at: now) },
            invite: context.may(.changeMembers)
                ? FormView(
                    action: MemberRoutes.invitations.link(team), errors: form.errors.links,
                    inputs: form.inputs(context.role.grantable)) : nil, mayLeave: context.role != .owner || owners > 1)
        return context.site.respond(view, status: form.errors.status)
    }

    private func row(of member: Member, _ accounts: [Subject: User], _ context: TeamContext) -> MemberRow {
        MemberRow(
            team: context.teamID, member: member, user: accounts[member.account],
            isSelf: member.account == context.account.subject,
            canChange: context.may(.changeMembers) && context.role.mayManage(member.role))
    }
}

extension Input {
    /// Choice of a member's role.
    static func roles(_ roles: [Role], chosen: Role, _ errors: FieldErrors) -> Input {
        Input(
            "role", Message("console.members.role"),
            as: .choices(roles.map { Option($0.rawValue, $0.words, hint: $0.reach, isChosen: $0 == chosen) }),
            errors: errors)
    }
}

extension Role {
    /// Name of the role on pages.
    var words: Message { Message(in: "console.roles", rawValue) }

    /// Description of the role's rights in one sentence; nil for `operator`.
    var reach: Message? { self == .operator ? nil : Message(in: "console.members.reach", rawValue) }

    /// Roles that a member with this role may assign, most powerful first.
    var grantable: [Role] { [.owner, .admin, .developer, .auditor].filter(mayManage) }
}
