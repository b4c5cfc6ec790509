import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// Inviting somebody to a team, once more, and taking it back.
struct InvitationPages: Sendable {
    private let context: EngineContext
    private let invitations: InvitationStore
    private let limits: SendingLimits
    private let post: InvitationPost
    private let roster: MemberRoster

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        context = parts.context
        invitations = InvitationStore(parts.database)
        limits = SendingLimits(LimitStore(parts.database))
        post = InvitationPost(parts)
        roster = try MemberRoster(parts)
    }

    func mount(on router: inout ConsoleRouter) {
        router.post(MemberRoutes.invitations, needs: .changeMembers, at: .members) { scope, form in
            try await invite(scope, form)
        }
        router.post(MemberRoutes.resending, needs: .changeMembers, at: .members) { scope, _, id in
            let invitation = try await find(id, scope)
            return try await send(InviteForm(), invitation.email, as: invitation.role, scope)
        }
        router.post(MemberRoutes.withdrawal, needs: .changeMembers, at: .members, countsForTeam: false) {
            scope,
            _,
            id in
            try await withdraw(scope, id)
        }
    }

    private func invite(_ scope: Scope, _ fields: Form) async throws -> Response {
        var form = InviteForm()
        guard let accepted = form.read(fields, allowing: scope.role.grantable) else {
            return try await roster.respond(scope, form)
        }
        return try await send(form, accepted.email, as: accepted.role, scope)
    }

    private func send(
        _ form: InviteForm,
        _ email: EmailAddress,
        as role: Role,
        _ scope: Scope
    ) async throws -> Response {
        let wait = try await limits.charge(
            .memberInvitation,
            to: email.rawValue,
            by: .account(scope.account.subject),
            in: scope.teamID,
            at: context.clock()
        )
        if let wait { return try await refuse(form, wait, scope) }
        do {
            _ = try await invitations.invite(
                email,
                as: role,
                by: scope.account.subject,
                in: scope.teamID,
                from: scope.origin,
                at: context.clock()
            ) { issued, transaction in try await post.send(issued, scope, transaction) }
        } catch InvitationStore.Failure.tooMany {
            var form = form
            form.errors.add("email", Phrase("console.members.too-many"))
            return try await roster.respond(scope, form)
        } catch InvitationStore.Failure.teamFull {
            var form = form
            form.errors.add("email", Phrase("console.members.full", ["limit": Member.limit]))
            return try await roster.respond(scope, form)
        } catch InvitationStore.Failure.notAllowed {
            throw Web.Problem.forbidden
        }
        let flash: Flash =
            context.sendsMail
            ? .good(Phrase("console.members.flash.invited", ["email": email.rawValue]))
            : .warn(Phrase("console.members.flash.kept", ["email": email.rawValue]))
        return scope.redirect(to: MemberRoutes.list.link(scope.teamID), saying: flash)
    }

    /// The page with 429, and when the next invitation may be sent.
    private func refuse(_ form: InviteForm, _ wait: Duration, _ scope: Scope) async throws -> Response {
        var form = form
        let minutes = Int((max(1, wait.components.seconds) + 59) / 60)
        form.errors.add("email", Phrase("console.members.too-often", count: minutes))
        return try await roster.respond(scope, form, after: wait)
    }

    private func withdraw(_ scope: Scope, _ id: InvitationID) async throws -> Response {
        let invitation = try await find(id, scope)
        do {
            let isWithdrawn = try await invitations.withdraw(
                id,
                by: scope.account.subject,
                in: scope.teamID,
                from: scope.origin
            )
            guard isWithdrawn else { throw Web.Problem.notFound }
        } catch InvitationStore.Failure.notAllowed {
            throw Web.Problem.forbidden
        }
        let flash = Phrase("console.members.flash.withdrawn", ["email": invitation.email.rawValue])
        return scope.redirect(to: MemberRoutes.list.link(scope.teamID), saying: .good(flash))
    }

    private func find(_ id: InvitationID, _ scope: Scope) async throws -> Invitation {
        guard let invitation = try await invitations.find(id, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return invitation
    }
}
