import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// Inviting people to make an account with a team, once more, and taking it back.
struct UserInvitationPages: Sendable {
    private let context: EngineContext
    private let invitations: UserInvitations
    private let page: LivePage<UserInvitationListPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        context = parts.context
        let letters = AccountLetters(
            site: parts.site,
            context: parts.context,
            teams: parts.teams,
            mail: parts.mail
        )
        invitations = UserInvitations(parts.database, post: letters.post, random: parts.context.random)
        page = try parts.site.pages.page(UserInvitationListPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(UserInvitationRoutes.list, needs: .read, at: .users) { scope in
            try await respond(scope, UserInviteForm(language: scope.request.language))
        }
        router.post(UserInvitationRoutes.list, needs: .changeUsers, at: .users) { scope, fields in
            var form = UserInviteForm(language: scope.request.language)
            guard let email = form.read(fields) else { return try await respond(scope, form) }
            return try await send(form, to: email, scope)
        }
        router.post(UserInvitationRoutes.resending, needs: .changeUsers, at: .users) { scope, _, id in
            let form = UserInviteForm(language: scope.request.language)
            return try await send(form, to: try await find(id, scope).email, scope)
        }
        router.post(UserInvitationRoutes.withdrawal, needs: .changeUsers, at: .users, countsForTeam: false) {
            scope,
            _,
            id in
            try await withdraw(id, scope)
        }
    }

    private func send(_ form: UserInviteForm, to email: EmailAddress, _ scope: Scope) async throws -> Response
    {
        guard scope.team.policy.registration != .off else { throw Problem.forbidden }
        let caller = AccountCaller(
            team: scope.teamID,
            language: form.language,
            origin: scope.origin,
            now: context.clock()
        )
        do {
            try await invitations.invite(email, by: scope.account.subject, for: caller)
        } catch UserInvitations.Failure.notAllowed {
            throw Problem.forbidden
        } catch let failure as UserInvitations.Failure {
            var form = form
            form.errors.add("email", failure.words)
            return try await respond(scope, form)
        }
        return back(
            scope,
            saying: context.sendsMail
                ? .good(Phrase("console.user-invitations.flash.sent", ["email": email.rawValue]))
                : .warn(Phrase("console.user-invitations.flash.kept", ["email": email.rawValue]))
        )
    }

    private func withdraw(_ id: InvitationID, _ scope: Scope) async throws -> Response {
        let invitation = try await find(id, scope)
        let isWithdrawn = try await invitations.withdraw(
            id,
            by: scope.account.subject,
            in: scope.teamID,
            from: scope.origin
        )
        guard isWithdrawn else { throw Problem.notFound }
        let email = invitation.email.rawValue
        return back(
            scope,
            saying: .good(Phrase("console.user-invitations.flash.withdrawn", ["email": email]))
        )
    }

    private func find(_ id: InvitationID, _ scope: Scope) async throws -> UserInvitation {
        guard let found = try await invitations.find(id, in: scope.teamID, at: context.clock()) else {
            throw Problem.notFound
        }
        return found
    }

    private func back(_ scope: Scope, saying flash: Flash) -> Response {
        scope.redirect(to: UserInvitationRoutes.list.link(scope.teamID), saying: flash)
    }

    /// The page, with what was typed and what is wrong with it where an invitation was refused.
    private func respond(_ scope: Scope, _ form: UserInviteForm) async throws -> Response {
        let team = scope.teamID
        let registration = scope.team.policy.registration
        let mayInvite = scope.may(.changeUsers)
        let view = UserInvitationListPage(
            frame: scope.frame(Phrase("console.user-invitations.title")),
            team: team,
            registration: registration,
            invitations: try await invitations.list(in: team, at: context.clock()).map { invitation in
                UserInvitationRow(team: team, invitation: invitation, canChange: mayInvite)
            },
            invite: mayInvite && registration != .off ? UserInviteView(team: team, form: form) : nil,
            maySet: scope.may(.changeSettings)
        )
        return scope.site.respond(page, view, status: form.errors.isEmpty ? .ok : .unprocessableContent)
    }

    static var views: [any View.Type] { [UserInvitationListPage.self] }
}

extension UserInvitations.Failure {
    fileprivate var words: Phrase {
        switch self {
        case .known: Phrase("console.user-invitations.known")
        case .tooMany: Phrase("console.user-invitations.too-many", count: UserInvitation.limit)
        case .tooOften(let wait):
            Phrase(
                "console.user-invitations.too-often",
                count: Int((max(1, wait.components.seconds) + 59) / 60)
            )
        case .notAllowed: Phrase("shared.problems.forbidden.headline")
        }
    }
}
