import AuthEngine
import Crypto
import Directory
import Domain
import HTTP
import Web

// The steps of a sign-in. Each ends at the dispatcher (`show`) or at the exit, never at another step.
extension HostedEndpoints {
    /// Shows what comes next, decided from what is stored.
    func show(_ context: Context) async throws -> Response {
        let (team, attempt, client) = (context.team, context.attempt, context.client)
        let step = try await flow.nextStep(of: attempt, context.visitor.session, in: team.id)
        switch (step, context.visitor.session) {
        case (.signIn, _), (_, nil):
            return pages.respond(signInPage(team, client, attempt.id, context.visitor))
        case (.consent, let session?):
            return pages.respond(consentPage(context, session.user))
        case (.confirmation, let session?):
            return pages.respond(continuePage(context, session.user))
        }
    }

    /// Compares the password and begins a session under a new identifier.
    func signIn(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        switch try await door.enter(form, context.request, context.team.id, context.visitor) {
        case .refused(let refusal):
            return refuse(refusal, context, login: form["email"] ?? "")
        case .entered(let cookies):
            let next = TeamRoutes.attempt.link(context.team.id, context.attempt.id)
            var response = Response.redirect(to: next)
            for cookie in cookies { response.set(cookie) }
            return response
        }
    }

    private func refuse(_ refusal: SignInRefusal, _ context: Context, login: String) -> Response {
        var page = signInPage(context.team, context.client, context.attempt.id, context.visitor)
        page.email = login
        page.error = refusal.words
        var response = pages.respond(page, status: refusal.status)
        if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    func consent(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        guard let session = context.visitor.session else { return try await show(context) }
        let scope = context.attempt.scope
        let given = form["given_name"] ?? ""
        let family = form["family_name"] ?? ""
        guard let name = PersonName(given: given, family: family) else {
            var page = consentPage(context, session.user)
            page.errors = [
                FormError(id: "field-given_name", message: "A name has at most 100 characters in one line.")
            ]
            page.name = ConsentPage.NameChoice(given: given, family: family, errors: page.errors)
            return pages.respond(page, status: .unprocessableContent)
        }
        let hides = form["email_choice"] == "hide"
        let hasAddress = session.user.email != nil
        let choice = ConsentChoice(
            name: scope.name ? name : nil,
            email: scope.email && hasAddress ? (hides ? .hidden : .shared) : .withheld
        )
        let answer = try await flow.consent(
            to: context.attempt,
            choice,
            of: session,
            browserHash: context.visitor.browserHash,
            in: context.team,
            from: context.request.auditOrigin
        )
        return try exit(with: answer, context)
    }

    func confirm(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        switch form["decision"] {
        case "cancel": return try await cancel(context)
        case "switch":
            return pages.respond(
                signInPage(context.team, context.client, context.attempt.id, context.visitor)
            )
        default: break
        }
        guard let session = context.visitor.session else { return try await show(context) }
        let answer = try await flow.confirm(
            context.attempt,
            of: session,
            browserHash: context.visitor.browserHash,
            in: context.team
        )
        return try exit(with: answer, context)
    }

    private func cancel(_ context: Context) async throws -> Response {
        let answer = try await flow.cancel(
            context.attempt,
            browserHash: context.visitor.browserHash,
            in: context.team.id
        )
        return try exit(with: answer, context)
    }

    private func exit(with answer: AuthorizationAnswer?, _ context: Context) throws -> Response {
        guard let answer else { throw Problem.attemptOver }
        return try pages.exit(with: answer, appName: context.client.name, of: context.team)
    }

    private func consentPage(_ context: Context, _ user: User) -> ConsentPage {
        let scope = context.attempt.scope
        return ConsentPage(
            frame: pages.frame("Continue to \(context.client.name)", of: context.team),
            appName: context.client.name,
            action: TeamRoutes.consent.link(context.team.id, context.attempt.id),
            formToken: site.formTokens.token(for: context.visitor.browser),
            person: PersonView(name: user.name.full, email: user.email?.rawValue),
            name: scope.name
                ? ConsentPage.NameChoice(given: user.name.given, family: user.name.family) : nil,
            email: scope.email
                ? user.email.map { ConsentPage.EmailChoice(address: $0.rawValue, isHidden: false) } : nil
        )
    }

    private func continuePage(_ context: Context, _ user: User) -> ContinuePage {
        let person = PersonView(name: user.name.full, email: user.email?.rawValue)
        return ContinuePage(
            frame: pages.frame("Continue to \(context.client.name)", of: context.team),
            appName: context.client.name,
            action: TeamRoutes.confirmation.link(context.team.id, context.attempt.id),
            formToken: site.formTokens.token(for: context.visitor.browser),
            person: person,
            givenName: user.name.given.isEmpty ? person.name : user.name.given
        )
    }
}
