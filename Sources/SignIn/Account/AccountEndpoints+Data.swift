import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The person's data, to take along or to delete.
extension AccountEndpoints {
    /// Everything the team keeps of the person, as JSON.
    func download(_ person: Person) async throws -> Response {
        let export = try await accounts.exports.export(
            person.subject,
            in: person.team.id,
            by: person.actor,
            from: person.request.auditOrigin
        )
        guard let export else { throw Problem.notFound }
        var response = Response.json(export)
        response.append(.contentDisposition, "attachment; filename=\"account.json\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    func askToDelete(_ person: Person) async throws -> Response {
        let page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        return pages.respond(page)
    }

    /// Deletes the account of a person who typed what it is called, and knows its password where it has one.
    func delete(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        var page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        page.typed = form["confirmation"] ?? ""
        guard Retyped(page.typed, expecting: page.expected).isRight else {
            page.errors.add(
                "confirmation",
                Phrase("hosted.deletion.confirm-wrong", ["expected": page.expected])
            )
            return pages.respond(page, status: .unprocessableContent)
        }
        if page.hasPassword,
            let refusal = try await refusal(of: form["password"] ?? "", page.login, person)
        {
            page.errors.add("password", refusal.words)
            return answer(pages.respond(page, status: refusal.status), refusal)
        }
        _ = try await accounts.deletions.delete(
            person.subject,
            in: person.team.id,
            by: person.actor,
            from: person.request.auditOrigin
        )
        let done = AccountDeletedPage(frame: frame(Phrase("hosted.deletion.done-title"), person))
        var response = pages.respond(done)
        response.set(site.cookies.forgotten(site.cookies.session(of: person.team.id)))
        return response
    }

    /// Where somebody without a password shows first that it is them: a session alone may be somebody else's by now.
    ///
    /// By a factor of theirs, or by the way they came.
    private func proofBeforeDeletion(
        _ page: AccountDeletionPage,
        _ person: Person
    ) async throws -> Response? {
        guard !page.hasPassword, context.clock() - person.session.provedAt > Self.proofLife else {
            return nil
        }
        let team = person.team.id
        let kinds = try await factors.kinds(of: person.subject, in: team)
        let proof = kinds.isEmpty ? TeamRoutes.session.link(team) : TeamRoutes.proof.link(team)
        return .redirect(to: "\(proof)?next=\(PercentCoding.encode(TeamRoutes.deletion.link(team)))")
    }

    /// Members of the console's team leave their teams first, which is done in the console.
    private func deletionPage(_ person: Person) async throws -> AccountDeletionPage {
        guard person.team.id != .system,
            let detail = try await accounts.details.find(
                person.subject,
                in: person.team.id,
                at: context.clock()
            )
        else { throw Problem.notFound }
        let login = detail.logins.first?.rawValue ?? ""
        return AccountDeletionPage(
            frame: frame(Phrase("hosted.deletion.title"), person),
            action: TeamRoutes.deletion.link(person.team.id),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id),
            login: login,
            expected: detail.user.email?.rawValue ?? person.subject.rawValue,
            appCount: detail.consents.count,
            hasPassword: detail.hasPassword && !login.isEmpty
        )
    }
}
