import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// Pages that end what a user has: all sessions, a token, all tokens, the consent to an app.
struct UserEndPages: ConsolePages {
    let parts: Console.Parts

    private var details: UserDetailStore { UserDetailStore(database) }
    private var authorizationEnds: AuthorizationEndStore { AuthorizationEndStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(UserRoutes.signOut, needs: .changeUsers, at: .users) { try await respond($0, $1) { signOut($0) } }
        router.post(UserRoutes.signOut, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await respond($0, $2, $1) { signOut($0) }
        }
        router.get(UserRoutes.tokenRevocations, needs: .changeUsers, at: .users) {
            try await respond($0, $1) { try await revocation($0) }
        }
        router.post(UserRoutes.tokenRevocations, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await respond($0, $2, $1) { try await revocation($0) }
        }
        router.get(UserRoutes.tokenRevocation, needs: .changeUsers, at: .users) { context, subject, id in
            try await respond(context, subject) { try await revocation($0, of: id) }
        }
        router.post(UserRoutes.tokenRevocation, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, form, subject, id in try await respond(context, subject, form) { try await revocation($0, of: id) }
        }
        router.get(UserRoutes.consentEnd, needs: .changeUsers, at: .users) { context, subject, appID in
            try await respond(context, subject) { try await consentEnd($0, appID) }
        }
        router.post(UserRoutes.consentEnd, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, form, subject, appID in
            try await respond(context, subject, form) { try await consentEnd($0, appID) }
        }
    }

    /// A user, and who asks for what to end.
    private struct Case {
        let context: TeamContext
        let detail: UserDetail

        var subject: Subject { detail.user.subject }
        var name: String { detail.user.shownName }
    }

    private func respond(
        _ context: TeamContext, _ subject: Subject, _ form: Form? = nil,
        _ action: (Case) async throws -> ActionPage.Action
    ) async throws -> Response {
        let detail = try await details.find(subject, in: context.teamID, at: server.clock()).orNotFound()
        let user = LinkView(detail.user.shownName, ConsoleRoutes.user.link(context.teamID, subject))
        return try await ActionPage.respond(
            context, try await action(Case(context: context, detail: detail)), form, backTo: user)
    }

    private func signOut(_ user: Case) -> ActionPage.Action {
        let (context, subject, name) = (user.context, user.subject, user.name)
        return ActionPage.Action(
            heading: Message("console.users.sessions.end"),
            effects: [
                Message("console.user-ends.sessions", ["name": name], count: user.detail.sessions.count),
                Message("console.user-ends.sessions.tokens"),
            ], button: Message("console.users.sessions.end")
        ) { reason in
            let count = try await parts.sessions.endAll(
                of: subject, in: context.teamID, by: context.actor, from: context.origin, because: reason)
            return count == 0
                ? .warn(Message("console.users.flash.signed-in-nowhere", ["name": name]))
                : .good(Message("console.users.flash.signed-out", ["name": name]))
        }
    }

    private func revocation(_ user: Case) async throws -> ActionPage.Action {
        let (context, subject) = (user.context, user.subject)
        let tokens = try await details.refreshTokens(of: subject, in: context.teamID)
        return ActionPage.Action(
            heading: Message("console.users.tokens.revoke-all"),
            effects: [
                Message("console.user-ends.tokens", ["name": user.name], count: tokens.count),
                Message("console.user-ends.again", ["name": user.name]),
            ], button: Message("console.users.tokens.revoke-all")
        ) { reason in
            let count = try await authorizationEnds.revokeAllTokens(
                of: subject, in: context.teamID, by: context.actor, from: context.origin, because: reason)
            return .good(Message("console.users.flash.tokens-revoked", count: count))
        }
    }

    private func revocation(_ user: Case, of id: RefreshTokenID) async throws -> ActionPage.Action {
        let (context, subject) = (user.context, user.subject)
        let tokens = try await details.refreshTokens(of: subject, in: context.teamID)
        let client = try tokens.first { $0.id == id }.orNotFound().client.rawValue
        return ActionPage.Action(
            heading: Message("console.users.tokens.revoke.label", ["client": client]),
            effects: [
                Message("console.user-ends.token", ["client": client]),
                Message("console.user-ends.again", ["name": user.name]),
            ], button: Message("console.user-ends.token.button")
        ) { reason in
            let isRevoked = try await authorizationEnds.revokeToken(
                id, of: subject, in: context.teamID, by: context.actor, from: context.origin, because: reason)
            guard isRevoked else { throw UserFacingError.notFound }
            return .good(Message("console.users.flash.token-revoked"))
        }
    }

    private func consentEnd(_ user: Case, _ appID: ClientID) async throws -> ActionPage.Action {
        let (context, subject) = (user.context, user.subject)
        let name = user.detail.consents.first { $0.consent.appID == appID }?.name ?? appID.rawValue
        let tokens = try await details.refreshTokens(of: subject, in: context.teamID).count { $0.appID == appID }
        return ActionPage.Action(
            heading: Message("console.users.consents.end.label", ["app": name]),
            effects: [
                Message("console.user-ends.tokens", ["name": user.name], count: tokens),
                Message("console.user-ends.consent", ["app": name]), Message("console.user-ends.consent.again"),
            ], button: Message("console.users.consents.end")
        ) { reason in
            let ended = try await authorizationEnds.endConsent(
                of: subject, for: appID, in: context.teamID, by: context.actor, from: context.origin, because: reason)
            guard ended else { throw UserFacingError.notFound }
            return .good(Message("console.users.flash.consent-ended"))
        }
    }

    static var views: [any View.Type] { [ActionPage.self] }
}
