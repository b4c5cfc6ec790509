import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Proving once more who one is, before ways to sign in change: by a factor where there is one, since the password
// that began the session proves nothing new; by the password where there is none.
extension AccountEndpoints {
    func askForProof(_ person: Person) async throws -> Response {
        factorPages.respond(try await proofPage(person))
    }

    func proveAgain(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        let kinds = try await factors.kinds(of: person.subject, in: person.team.id)
        if kinds.isEmpty { return try await provePassword(form, person) }
        let proof = FactorProof(
            subject: person.subject,
            team: person.team.id,
            attempt: "session \(person.session.id.text)",
            browser: person.visitor.browser,
            origin: person.request.auditOrigin,
            now: context.clock()
        )
        guard let (kind, result) = try await proof.check(form, with: factors) else {
            return factorPages.respond(try await proofPage(person))
        }
        switch result {
        case .proved: return try await goOn(person, by: kind)
        case .attemptOver: throw Problem.fiveWrongCodes
        case .wrong, .locked:
            var page = try await proofPage(person, wanted: kind)
            page.error = result.words(kind)?.asWords
            let status: Status = result == .wrong ? .unauthorized : .tooManyRequests
            return factorPages.respond(page, status: status, retryAfter: result.retryAfter)
        }
    }

    private func provePassword(_ form: Form, _ person: Person) async throws -> Response {
        let result = try await door.authenticate(form, person.request, person.team.id, person.visitor)
        if case .success(let user) = result, user.subject == person.subject {
            return try await goOn(person, by: nil)
        }
        let refusal = SignInRefusal(result)
        var page = try await proofPage(person)
        page.error = refusal.words.asWords
        return factorPages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
    }

    /// Back to the page that wanted the proof, under the session's new name.
    private func goOn(_ person: Person, by kind: FactorKind?) async throws -> Response {
        let next = LocalPath(try person.request.query()["next"])
        var response = Response.redirect(to: next?.text ?? TeamRoutes.account.link(person.team.id))
        if let cookie = try await raise(person, by: kind) { response.set(cookie) }
        return response
    }

    /// - Parameter kind: what was asked for before; the address says it where nothing was.
    private func proofPage(_ person: Person, wanted kind: FactorKind? = nil) async throws -> FactorPage {
        let (request, team) = (person.request, person.team)
        let query = try request.query()
        let next = LocalPath(query["next"]).map { "?next=\(PercentCoding.encode($0.text))" }
        let action = TeamRoutes.proof.link(team.id) + (next ?? "")
        let prompt = FactorPrompt(
            factors: factors,
            subject: person.subject,
            team: team,
            browser: person.visitor.browser,
            frame: frame(Phrase("hosted.factors.prove.title"), person),
            formToken: formToken(person),
            action: action,
            address: action,
            now: context.clock()
        )
        let kinds = try await factors.kinds(of: person.subject, in: team.id)
        let lead = Phrase("hosted.factors.prove.reproof")
        var page =
            kinds.isEmpty
            ? prompt.password(of: person.session.user, lead: lead)
            : try await prompt.page(kinds, wanted: kind ?? query["with"].flatMap(FactorKind.init), lead: lead)
        page.backURL = TeamRoutes.account.link(team.id)
        return page
    }
}
