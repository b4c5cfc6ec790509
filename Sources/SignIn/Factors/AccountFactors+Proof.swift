import Core
import Directory
import HTTP
import OAuth
import Platform

// Reauthentication before sign-in methods change: by a factor if the user has one, because the password that began the
// session proves nothing new; otherwise by the password.
extension AccountFactors {
    func askForProof(_ person: SignedInUser) async throws -> Response {
        factorPages.respond(try await proofPage(person))
    }

    func proveAgain(_ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let kinds = try await steps.factors.kinds(of: person.subject, in: person.team.id)
        if kinds.isEmpty { return try await provePassword(form, person) }
        let proof = FactorProof(
            subject: person.subject, team: person.team.id, interaction: "session \(person.session.id.text)",
            browser: person.browserContext.browser, origin: person.request.auditOrigin, now: steps.server.clock())
        guard let (kind, result) = try await proof.check(form, with: steps.factors) else {
            return factorPages.respond(try await proofPage(person))
        }
        switch result {
        case .proved: return try await proceed(person, by: kind)
        case .interactionExpired: throw UserFacingError.fiveWrongCodes
        case .wrong, .locked:
            var page = try await proofPage(person, wanted: kind)
            page.error = result.words(kind)?.localizedText
            let status: Status = result == .wrong ? .unauthorized : .tooManyRequests
            return factorPages.respond(page, status: status, retryAfter: result.retryAfter)
        }
    }

    private func provePassword(_ form: Form, _ person: SignedInUser) async throws -> Response {
        let result = try await steps.sessionIssuer.authenticate(
            form, person.request, person.team.id, person.browserContext)
        if case .success(let user) = result, user.subject == person.subject {
            return try await proceed(person, by: nil)
        }
        let refusal = SignInRefusal(result)
        var page = try await proofPage(person)
        page.error = refusal.words.localizedText
        return factorPages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
    }

    /// Redirects to the page that required the proof, and renews the session token.
    private func proceed(_ person: SignedInUser, by kind: FactorKind?) async throws -> Response {
        let next = LocalPath(try person.request.query()["next"])
        var response = Response.redirect(to: next?.text ?? TeamRoutes.account.link(person.team.id))
        if let cookie = try await steps.stepUp(person, by: kind) { response.set(cookie) }
        return response
    }

    /// - Parameter kind: kind requested before; nil for the kind in the query, if any.
    private func proofPage(_ person: SignedInUser, wanted kind: FactorKind? = nil) async throws -> FactorPage {
        let (request, team) = (person.request, person.team)
        let query = try request.query()
        let next = LocalPath(query["next"]).map { "?next=\(PercentCoding.encode($0.text))" }
        let action = TeamRoutes.proof.link(team.id) + (next ?? "")
        let prompt = FactorPrompt(
            factors: steps.factors, subject: person.subject, team: team, browser: person.browserContext.browser,
            frame: steps.frame(Message("hosted.factors.prove.title"), person), formToken: steps.formToken(person),
            action: action, address: action, now: steps.server.clock())
        let kinds = try await steps.factors.kinds(of: person.subject, in: team.id)
        let lead = Message("hosted.factors.prove.reproof")
        var page =
            kinds.isEmpty
            ? prompt.password(of: person.session.user, lead: lead)
            : try await prompt.page(kinds, wanted: kind ?? query["with"].flatMap(FactorKind.init), lead: lead)
        page.backURL = TeamRoutes.account.link(team.id)
        return page
    }
}
