import Core
import Directory
import HTTP
import OAuth
import Platform

// Page of one factor: details, renaming, removal.
extension AccountFactors {
    func showTOTP(_ person: SignedInUser) async throws -> Response {
        guard let page = try await totpPage(person) else {
            return .redirect(to: TeamRoutes.newTOTP.link(person.team.id))
        }
        return factorPages.respond(page)
    }

    func removeTOTP(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        do {
            try await steps.factors.totp.remove(
                of: person.subject, keepsOne: try await keepsOne(person), by: steps.freshRight(of: person),
                in: person.team.id, from: person.request.auditOrigin, telling: steps.factorPost(person))
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            guard var page = try await totpPage(person) else { throw UserFacingError.notFound }
            page.error = lastOne(person)
            return factorPages.respond(page, status: .conflict)
        }
        return steps.home(person, .factorRemoved)
    }

    func showPasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        factorPages.respond(try await passkeyPage(id, person))
    }

    func renamePasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let typed = form["name"] ?? ""
        guard let passkeys = steps.factors.passkeys?.passkeys else { throw UserFacingError.notFound }
        guard let name = PasskeyName(typed) else {
            var page = try await passkeyPage(id, person)
            page.rename?.field.value = typed
            page.rename?.field.error = Message("hosted.factors.set-up.passkey.name-rule").localizedText
            return factorPages.respond(page, status: .unprocessableContent)
        }
        do {
            try await passkeys.rename(
                id, of: person.subject, to: name, by: steps.freshRight(of: person), in: person.team.id,
                from: person.request.auditOrigin)
        } catch FactorRefusal.unknown { throw UserFacingError.notFound }
        return steps.home(person, .factorRenamed)
    }

    func removePasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        guard let passkeys = steps.factors.passkeys?.passkeys else { throw UserFacingError.notFound }
        do {
            try await passkeys.remove(
                id, of: person.subject, keepsOne: try await keepsOne(person), by: steps.freshRight(of: person),
                in: person.team.id, from: person.request.auditOrigin, telling: steps.factorPost(person))
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            var page = try await passkeyPage(id, person)
            page.error = lastOne(person)
            return factorPages.respond(page, status: .conflict)
        }
        return steps.home(person, .factorRemoved)
    }

    private func totpPage(_ person: SignedInUser) async throws -> FactorDetailPage? {
        let team = person.team.id
        guard let app = try await steps.factors.totp.find(of: person.subject, in: team) else { return nil }
        let title = Message("hosted.factors.detail.totp")
        return FactorDetailPage(
            frame: steps.frame(title, person), heading: title.localizedText, formToken: steps.formToken(person),
            addedAt: app.confirmedAt, lastUsedAt: app.lastUsedAt, replaceURL: TeamRoutes.newTOTP.link(team),
            removal: FactorDetailPage.Removal(
                action: TeamRoutes.totpRemoval.link(team),
                about: Message("hosted.factors.detail.remove-totp-about").localizedText,
                label: Message("hosted.factors.detail.remove-totp").localizedText),
            backURL: TeamRoutes.account.link(team))
    }

    /// - Throws: `UserFacingError.notFound` if the user has no such passkey.
    private func passkeyPage(_ id: PasskeyID, _ person: SignedInUser) async throws -> FactorDetailPage {
        let team = person.team.id
        let all = try await steps.factors.passkeys?.passkeys.list(of: person.subject, in: team) ?? []
        guard let passkey = all.first(where: { $0.id == id }) else { throw UserFacingError.notFound }
        return FactorDetailPage(
            frame: steps.frame(Message("hosted.factors.set-up.passkey.title"), person),
            heading: passkey.name.localizedText, formToken: steps.formToken(person), addedAt: passkey.createdAt,
            lastUsedAt: passkey.lastUsedAt, kept: Self.kept(passkey).localizedText,
            rename: FactorDetailPage.Rename(
                action: TeamRoutes.passkey.link(team, id),
                field: FieldView(
                    "name", label: Message("hosted.factors.detail.name"), value: passkey.name, autocomplete: "off")),
            removal: FactorDetailPage.Removal(
                action: TeamRoutes.passkeyRemoval.link(team, id),
                about: Message("hosted.factors.detail.remove-passkey-about").localizedText,
                label: Message("hosted.factors.detail.remove-passkey").localizedText),
            backURL: TeamRoutes.account.link(team))
    }

    private func keepsOne(_ person: SignedInUser) async throws -> Bool {
        let (subject, team) = (person.subject, person.team)
        return try await steps.factors.gate.policy(for: subject, of: team.id, team.secondFactor).rule == .required
    }

    private func lastOne(_ person: SignedInUser) -> LocalizedText {
        Message("hosted.factors.detail.last-one", ["team": person.team.name]).localizedText
    }
}
