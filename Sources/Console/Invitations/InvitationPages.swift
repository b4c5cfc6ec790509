import Core
import Crypto
import Directory
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers to invite a member to a team, to resend an invitation and to withdraw it.
struct InvitationPages: ConsolePages {
    private let server: ServerContext
    private let invitations: InvitationStore
    private let database: TeamDatabase
    private let mailer: InvitationMailer
    private let roster: MemberRoster

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        server = parts.server
        invitations = InvitationStore(parts.database)
        database = parts.database
        mailer = InvitationMailer(parts)
        roster = try MemberRoster(parts)
    }

    func mount(on router: inout ConsoleRouter) {
        router.post(MemberRoutes.invitations, needs: .changeMembers, at: .members) { context, form in
            try await invite(context, form)
        }
        router.post(MemberRoutes.resending, needs: .changeMembers, at: .members) { context, _, id in
            let invitation = try await find(id, context)
            return try await send(InviteForm(), invitation.email, as: invitation.role, context)
        }
        router.post(MemberRoutes.withdrawal, needs: .changeMembers, at: .members, countsForTeam: false) {
            context, _, id in try await withdraw(context, id)
        }
    }

    private func invite(_ context: TeamContext, _ fields: Form) async throws -> Response {
        var form = InviteForm()
        guard let accepted = form.read(fields, allowing: context.role.grantable) else {
            return try await roster.respond(context, form)
        }
        return try await send(form, accepted.email, as: accepted.role, context)
    }

    private func send(_ form: InviteForm, _ email: EmailAddress, as role: Role, _ context: TeamContext) async throws
        -> Response
    {
        let recipient = LimitKey.recipient(email.rawValue, for: .sender)
        // Over all teams, because the account that is invited may be a member of many.
        try await database.count([RateLimit.Use(.mailToRecipient, by: recipient)], in: .system, at: server.clock())
        try await database.count(
            RateLimit.Use.mail(to: recipient, by: .account(context.account.subject)), in: context.teamID,
            at: server.clock())
        do {
            _ = try await invitations.invite(
                email, as: role, by: context.account.subject, in: context.teamID, from: context.origin,
                at: server.clock()
            ) { issued, transaction in try await mailer.send(issued, context, transaction) }
        } catch InvitationStore.Failure.tooMany {
            var form = form
            form.errors.add("email", Message("console.members.too-many"))
            return try await roster.respond(context, form)
        } catch InvitationStore.Failure.teamFull {
            var form = form
            form.errors.add("email", Message("console.members.full", ["limit": Quota.members.count]))
            return try await roster.respond(context, form)
        } catch InvitationStore.Failure.notAllowed { throw UserFacingError.forbidden }
        let flash: Flash =
            server.sendsMail
            ? .good(Message("console.members.flash.invited", ["email": email.shown]))
            : .warn(Message("console.members.flash.kept", ["email": email.shown]))
        return context.redirect(to: MemberRoutes.list.link(context.teamID), saying: flash)
    }

    private func withdraw(_ context: TeamContext, _ id: InvitationID) async throws -> Response {
        let invitation = try await find(id, context)
        do {
            let isWithdrawn = try await invitations.withdraw(
                id, by: context.account.subject, in: context.teamID, from: context.origin)
            guard isWithdrawn else { throw UserFacingError.notFound }
        } catch InvitationStore.Failure.notAllowed { throw UserFacingError.forbidden }
        let flash = Message("console.members.flash.withdrawn", ["email": invitation.email.shown])
        return context.redirect(to: MemberRoutes.list.link(context.teamID), saying: .good(flash))
    }

    private func find(_ id: InvitationID, _ context: TeamContext) async throws -> Invitation {
        guard let invitation = try await invitations.find(id, in: context.teamID) else {
            throw UserFacingError.notFound
        }
        return invitation
    }

    static var views: [any View.Type] { [] }
}

/// Sends the email of a team invitation.
struct InvitationMailer: Sendable {
    private let publicURL: String
    private let mail: MailQueue

    init(_ parts: Console.Parts) {
        publicURL = parts.server.publicURL
        mail = parts.mail
    }

    /// Enqueues the email in the transaction that stores the invitation; the link is stored nowhere else.
    func send(_ issued: InvitationStore.Issued, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws
    {
        let message = EmailMessage.invitation(
            inviter: context.account.person.name, team: context.team.settings.name.rawValue,
            link: publicURL + MemberRoutes.invitation.link(issued.token.text), until: issued.invitation.expiresAt)
        // The sender's name is the console's, because the recipient need not know the team yet.
        try await mail.enqueue(
            OutgoingMail(message, to: issued.invitation.email, in: .english, from: "Pippin"), in: context.teamID,
            transaction)
    }
}
