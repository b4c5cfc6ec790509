import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// One factor on a page of its own: seen, renamed, removed.
extension AccountEndpoints {
    func showTOTP(_ person: Person) async throws -> Response {
        guard let page = try await totpPage(person) else {
            return .redirect(to: TeamRoutes.newTOTP.link(person.team.id))
        }
        return factorPages.respond(page)
    }

    func removeTOTP(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        do {
            try await factors.totp.remove(
                of: person.subject,
                keepsOne: try await keepsOne(person),
                by: freshRight(of: person),
                in: person.team.id,
                from: person.request.auditOrigin,
                telling: factorPost(person)
            )
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            guard var page = try await totpPage(person) else { throw Problem.notFound }
            page.error = lastOne(person)
            return factorPages.respond(page, status: .conflict)
        }
        return home(person, .factorRemoved)
    }

    func showPasskey(_ id: PasskeyID, _ person: Person) async throws -> Response {
        factorPages.respond(try await passkeyPage(id, person))
    }

    func renamePasskey(_ id: PasskeyID, _ person: Person) async throws -> Response {
        let form = try form(of: person)
        let typed = form["name"] ?? ""
        guard let passkeys = factors.passkeys?.passkeys else { throw Problem.notFound }
        guard let name = PasskeyName(typed) else {
            var page = try await passkeyPage(id, person)
            page.rename?.field.value = typed
            page.rename?.field.error = Phrase("hosted.factors.set-up.passkey.name-rule").asWords
            return factorPages.respond(page, status: .unprocessableContent)
        }
        do {
            try await passkeys.rename(
                id,
                of: person.subject,
                to: name,
                by: freshRight(of: person),
                in: person.team.id,
                from: person.request.auditOrigin
            )
        } catch FactorRefusal.unknown {
            throw Problem.notFound
        }
        return home(person, .factorRenamed)
    }

    func removePasskey(_ id: PasskeyID, _ person: Person) async throws -> Response {
        _ = try form(of: person)
        guard let passkeys = factors.passkeys?.passkeys else { throw Problem.notFound }
        do {
            try await passkeys.remove(
                id,
                of: person.subject,
                keepsOne: try await keepsOne(person),
                by: freshRight(of: person),
                in: person.team.id,
                from: person.request.auditOrigin,
                telling: factorPost(person)
            )
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            var page = try await passkeyPage(id, person)
            page.error = lastOne(person)
            return factorPages.respond(page, status: .conflict)
        }
        return home(person, .factorRemoved)
    }

    private func totpPage(_ person: Person) async throws -> FactorDetailPage? {
        let team = person.team.id
        guard let app = try await factors.totp.find(of: person.subject, in: team) else { return nil }
        let title = Phrase("hosted.factors.detail.totp")
        return FactorDetailPage(
            frame: frame(title, person),
            heading: title.asWords,
            formToken: formToken(person),
            addedAt: app.confirmedAt,
            lastUsedAt: app.lastUsedAt,
            replaceURL: TeamRoutes.newTOTP.link(team),
            removal: FactorDetailPage.Removal(
                action: TeamRoutes.totpRemoval.link(team),
                about: Phrase("hosted.factors.detail.remove-totp-about").asWords,
                label: Phrase("hosted.factors.detail.remove-totp").asWords
            ),
            backURL: TeamRoutes.account.link(team)
        )
    }

    /// - Throws: `Problem.notFound` for a passkey that is not the person's.
    private func passkeyPage(_ id: PasskeyID, _ person: Person) async throws -> FactorDetailPage {
        let team = person.team.id
        let all = try await factors.passkeys?.passkeys.list(of: person.subject, in: team) ?? []
        guard let passkey = all.first(where: { $0.id == id }) else { throw Problem.notFound }
        return FactorDetailPage(
            frame: frame(Phrase("hosted.factors.set-up.passkey.title"), person),
            heading: passkey.name.asWords,
            formToken: formToken(person),
            addedAt: passkey.createdAt,
            lastUsedAt: passkey.lastUsedAt,
            kept: Self.kept(passkey).asWords,
            rename: FactorDetailPage.Rename(
                action: TeamRoutes.passkey.link(team, id),
                field: FieldView(
                    "name",
                    label: Phrase("hosted.factors.detail.name"),
                    value: passkey.name,
                    autocomplete: "off"
                )
            ),
            removal: FactorDetailPage.Removal(
                action: TeamRoutes.passkeyRemoval.link(team, id),
                about: Phrase("hosted.factors.detail.remove-passkey-about").asWords,
                label: Phrase("hosted.factors.detail.remove-passkey").asWords
            ),
            backURL: TeamRoutes.account.link(team)
        )
    }

    private func keepsOne(_ person: Person) async throws -> Bool {
        let (subject, team) = (person.subject, person.team)
        return try await factors.gate.policy(for: subject, of: team.id, team.secondFactor).rule == .required
    }

    private func lastOne(_ person: Person) -> Words {
        Phrase("hosted.factors.detail.last-one", ["team": person.team.name]).asWords
    }
}
