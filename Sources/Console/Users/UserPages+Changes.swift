import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import SignIn

// Changes to a user, and the export of a user's data.
extension UserPages {
    func mountChanges(on router: inout ConsoleRouter) {
        router.post(UserRoutes.signOut, needs: .changeUsers, at: .users, countsForTeam: false) { context, _, subject in
            try await signOut(context, subject)
        }
        router.post(UserRoutes.consentEnd, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, _, subject, appID in try await endConsent(context, subject, appID)
        }
        router.post(UserRoutes.tokenRevocation, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, _, subject, id in try await revoke(id, context, subject)
        }
        router.post(UserRoutes.tokenRevocations, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, _, subject in try await revokeAll(context, subject)
        }
        router.post(UserRoutes.suspension, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await suspend($0, $1, $2)
        }
        router.post(UserRoutes.suspensionEnd, needs: .changeUsers, at: .users) { context, _, subject in
            try await unsuspend(context, subject)
        }
        router.post(UserRoutes.export, needs: .changeUsers, at: .users) { context, _, subject in
            try await export(context, subject)
        }
        router.post(UserRoutes.deletion, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await delete($0, $1, $2)
        }
    }

    private func signOut(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        let count = try await sessions.endAll(of: subject, in: context.teamID, by: context.actor, from: context.origin)
        let flash: Flash =
            count == 0
            ? .warn(Message("console.users.flash.signed-in-nowhere", ["name": user.shownName]))
            : .good(Message("console.users.flash.signed-out", ["name": user.shownName]))
        return back(context, subject, flash)
    }

    private func endConsent(_ context: TeamContext, _ subject: Subject, _ appID: ClientID) async throws -> Response {
        _ = try await find(subject, context)
        let ended = try await authorizationEnds.endConsent(
            of: subject, for: appID, in: context.teamID, by: context.actor, from: context.origin)
        guard ended else { throw UserFacingError.notFound }
        return back(context, subject, .good(Message("console.users.flash.consent-ended")))
    }

    private func revoke(_ id: RefreshTokenID, _ context: TeamContext, _ subject: Subject) async throws -> Response {
        let isRevoked = try await authorizationEnds.revokeToken(
            id, of: subject, in: context.teamID, by: context.actor, from: context.origin)
        guard isRevoked else { throw UserFacingError.notFound }
        return back(context, subject, .good(Message("console.users.flash.token-revoked")))
    }

    private func revokeAll(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        _ = try await find(subject, context)
        let count = try await authorizationEnds.revokeAllTokens(
            of: subject, in: context.teamID, by: context.actor, from: context.origin)
        return back(context, subject, .good(Message("console.users.flash.tokens-revoked", count: count)))
    }

    private func suspend(_ context: TeamContext, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        let reason = Reason(form["suspension_reason"])
        if let problem = reason.problem {
            var page = try await page(context, subject)
            page.suspensionReason = reason.typed
            page.errors.add("suspension_reason", problem)
            return site.respond(detailPage, page, status: .unprocessableContent)
        }
        let isSuspended = try await suspensions.suspend(
            subject, because: reason.text, in: context.teamID, by: context.actor, from: context.origin)
        let flash: Flash =
            isSuspended
            ? .good(Message("console.users.flash.suspended", ["name": user.shownName]))
            : .warn(Message("console.users.flash.suspended-already", ["name": user.shownName]))
        return back(context, subject, flash)
    }

    private func unsuspend(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        _ = try await suspensions.unsuspend(of: subject, in: context.teamID, by: context.actor, from: context.origin)
        return back(context, subject, .good(Message("console.users.flash.unsuspended", ["name": user.shownName])))
    }

    /// Streams the user's data as a JSON attachment with `Cache-Control: no-store`.
    private func export(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        try await database.count([RateLimit.Use(.heavyWork, by: .team)], in: context.teamID, at: server.clock())
        let export = try await exports.begin(
            subject, in: context.teamID, for: .team, by: context.actor, from: context.origin)
        guard let export else { throw UserFacingError.notFound }
        let name = String(decoding: subject.rawValue.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        return .attachment(
            BodyStream { try await export.next() }, named: "\(context.teamID)-\(name).json", type: "application/json")
    }

    /// Deletes a user if the confirmation is valid, else renders the form again with its errors.
    private func delete(_ context: TeamContext, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        let confirmation = Confirmation(form, expecting: user.confirmationText)
        guard let reason = confirmation.reason else {
            var page = try await page(context, subject)
            page.confirmation = confirmation
            return site.respond(detailPage, page, status: confirmation.status)
        }
        let deleted = try await deletions.delete(
            subject, in: context.teamID, by: context.actor, from: context.origin, reason: reason)
        guard deleted != nil else { throw UserFacingError.notFound }
        return context.redirect(
            to: ConsoleRoutes.users.link(context.teamID),
            saying: .good(Message("console.users.flash.deleted", ["name": user.shownName])))
    }

    private func back(_ context: TeamContext, _ subject: Subject, _ flash: Flash) -> Response {
        context.redirect(to: ConsoleRoutes.user.link(context.teamID, subject), saying: flash)
    }
}

/// Routes of changes to a user, and of the user's second factors and data export.
enum UserRoutes {
    static let signOut = Route("/console/:team/users/:sub/sessions/end", TeamID.self, Subject.self)
    static let consentEnd = Route(
        "/console/:team/users/:sub/consents/:app/end", TeamID.self, Subject.self, ClientID.self)
    static let tokenRevocation = Route(
        "/console/:team/users/:sub/tokens/:refresh/revocation", TeamID.self, Subject.self, RefreshTokenID.self)
    static let tokenRevocations = Route("/console/:team/users/:sub/tokens/revocation", TeamID.self, Subject.self)
    static let suspension = Route("/console/:team/users/:sub/suspension", TeamID.self, Subject.self)
    static let suspensionEnd = Route("/console/:team/users/:sub/suspension/end", TeamID.self, Subject.self)
    static let factors = Route("/console/:team/users/:sub/factors", TeamID.self, Subject.self)
    static let factorReset = Route("/console/:team/users/:sub/factors/reset", TeamID.self, Subject.self)
    static let export = Route("/console/:team/users/:sub/export", TeamID.self, Subject.self)
    static let deletion = Route("/console/:team/users/:sub/deletion", TeamID.self, Subject.self)
}
