import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// What may be done to a person.
extension UserPages {
    func mountChanges(on router: inout ConsoleRouter) {
        router.post(UserRoutes.signOut, needs: .changeUsers, at: .users, countsForTeam: false) {
            scope,
            _,
            subject in
            try await signOut(scope, subject)
        }
        router.post(UserRoutes.consentEnd, needs: .changeUsers, at: .users, countsForTeam: false) {
            scope,
            _,
            subject,
            appID in
            try await endConsent(scope, subject, appID)
        }
        router.post(UserRoutes.tokenRevocation, needs: .changeUsers, at: .users, countsForTeam: false) {
            scope,
            _,
            subject,
            id in
            try await revoke(id, scope, subject)
        }
        router.post(UserRoutes.tokenRevocations, needs: .changeUsers, at: .users, countsForTeam: false) {
            scope,
            _,
            subject in
            try await revokeAll(scope, subject)
        }
        router.post(UserRoutes.suspension, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await suspend($0, $1, $2)
        }
        router.post(UserRoutes.suspensionEnd, needs: .changeUsers, at: .users) { scope, _, subject in
            try await lift(scope, subject)
        }
        router.post(UserRoutes.export, needs: .changeUsers, at: .users) { scope, _, subject in
            try await export(scope, subject)
        }
        router.post(UserRoutes.deletion, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await delete($0, $1, $2)
        }
    }

    private func signOut(_ scope: Scope, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        let count = try await sessions.endAll(
            of: subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        let flash: Flash =
            count == 0
            ? .warn(Phrase("console.users.flash.signed-in-nowhere", ["name": user.shownName]))
            : .good(Phrase("console.users.flash.signed-out", ["name": user.shownName]))
        return back(scope, subject, flash)
    }

    private func endConsent(_ scope: Scope, _ subject: Subject, _ appID: ClientID) async throws -> Response {
        _ = try await find(subject, scope)
        let ended = try await consents.end(
            of: subject,
            for: appID,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard ended else { throw Problem.notFound }
        return back(scope, subject, .good(Phrase("console.users.flash.consent-ended")))
    }

    private func revoke(_ id: RefreshTokenID, _ scope: Scope, _ subject: Subject) async throws -> Response {
        let isRevoked = try await tokens.revoke(
            id,
            of: subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard isRevoked else { throw Problem.notFound }
        return back(scope, subject, .good(Phrase("console.users.flash.token-revoked")))
    }

    private func revokeAll(_ scope: Scope, _ subject: Subject) async throws -> Response {
        _ = try await find(subject, scope)
        let count = try await tokens.revokeAll(
            of: subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        return back(scope, subject, .good(Phrase("console.users.flash.tokens-revoked", count: count)))
    }

    private func suspend(_ scope: Scope, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        let reason = Reason(form["suspension_reason"])
        if let problem = reason.problem {
            var page = try await page(scope, subject)
            page.suspensionReason = reason.typed
            page.errors.add("suspension_reason", problem)
            return site.respond(detailPage, page, status: .unprocessableContent)
        }
        let isSuspended = try await suspensions.suspend(
            subject,
            because: reason.text,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        let flash: Flash =
            isSuspended
            ? .good(Phrase("console.users.flash.suspended", ["name": user.shownName]))
            : .warn(Phrase("console.users.flash.suspended-already", ["name": user.shownName]))
        return back(scope, subject, flash)
    }

    private func lift(_ scope: Scope, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        _ = try await suspensions.lift(of: subject, in: scope.teamID, by: scope.actor, from: scope.origin)
        return back(
            scope,
            subject,
            .good(Phrase("console.users.flash.unsuspended", ["name": user.shownName]))
        )
    }

    /// A file to keep; nothing of it may stay in a cache.
    private func export(_ scope: Scope, _ subject: Subject) async throws -> Response {
        try await chargeExport(scope)
        let export = try await exports.begin(
            subject,
            in: scope.teamID,
            for: .team,
            by: scope.actor,
            from: scope.origin
        )
        guard let export else { throw Problem.notFound }
        var response = Response(
            fields: [
                HeaderField(.contentType, "application/json"), HeaderField(.cacheControl, "no-store"),
                HeaderField(.xContentTypeOptions, "nosniff"),
            ],
            stream: BodyStream { try await export.next() }
        )
        let name = String(decoding: subject.rawValue.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        response.append(.contentDisposition, "attachment; filename=\"\(scope.teamID)-\(name).json\"")
        return response
    }

    /// Asks for the typed confirmation again where it does not fit; nothing happens without it.
    private func delete(_ scope: Scope, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        let confirmation = Confirmation(form, expecting: user.confirmationText)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            var page = try await page(scope, subject)
            page.confirmation = (confirmation, error)
            return site.respond(detailPage, page, status: error.status)
        }
        let deleted = try await deletions.delete(
            subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            reason: reason
        )
        guard deleted != nil else { throw Problem.notFound }
        return scope.redirect(
            to: ConsoleRoutes.users.link(scope.teamID),
            saying: .good(Phrase("console.users.flash.deleted", ["name": user.shownName]))
        )
    }

    private func back(_ scope: Scope, _ subject: Subject, _ flash: Flash) -> Response {
        scope.redirect(to: ConsoleRoutes.user.link(scope.teamID, subject), saying: flash)
    }
}
