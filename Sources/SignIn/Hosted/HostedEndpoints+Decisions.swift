import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

// What the person decides once they are known: the sheet of the first time, the confirmation of every later one.
extension HostedEndpoints {
    func consent(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        guard let app = context.attempt.app, let client = context.client,
            let session = context.session, isOfSheet(form, context, session)
        else { return again(context) }
        let scope = app.scope
        let given = form["given_name"] ?? ""
        let family = form["family_name"] ?? ""
        guard let name = PersonName(given: given, family: family) else {
            var page = consentPage(context, client, session.user)
            page.errors = [
                FormError(id: "field-given_name", message: Phrase("hosted.consent.name-wrong"))
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
            try await flow.setSessionAside(
                in: context.attempt,
                browserHash: context.visitor.browserHash,
                of: context.team.id
            )
            return again(context)
        default: break
        }
        guard let session = context.session, isOfSheet(form, context, session),
            case .confirmation(let consent) =
                try await flow.nextStep(of: context.attempt, session, in: context.team.id)
        else { return again(context) }
        let answer = try await flow.confirm(
            context.attempt,
            under: consent,
            of: session,
            browserHash: context.visitor.browserHash,
            in: context.team,
            from: context.request.auditOrigin
        )
        return try exit(with: answer, context)
    }

    func cancel(_ context: Context) async throws -> Response {
        let answer = try await flow.cancel(
            context.attempt,
            browserHash: context.visitor.browserHash,
            in: context.team.id,
            from: context.request.auditOrigin
        )
        return try exit(with: answer, context)
    }

    /// Without an answer the attempt or the consent has ended meanwhile: the dispatcher knows which.
    private func exit(with answer: AuthorizationAnswer?, _ context: Context) throws -> Response {
        guard let answer, let client = context.client else { return again(context) }
        return try pages.exit(with: answer, appName: client.name, of: context.team, in: context.language)
    }

    /// Whether a form is of a sheet that was shown to the person who is signed in now, for this sign-in.
    ///
    /// In another tab somebody else may have signed in meanwhile, who is to see a sheet of their own before an app gets them.
    private func isOfSheet(_ form: Form, _ context: Context, _ session: Session) -> Bool {
        site.formTokens.isValid(
            form["csrf"],
            for: context.visitor.browser,
            showing: context.sheet(of: session.user)
        )
    }

    private func sheetToken(_ context: Context, _ user: User) -> String {
        site.formTokens.token(for: context.visitor.browser, showing: context.sheet(of: user))
    }

    func consentPage(_ context: Context, _ client: Client, _ user: User) -> ConsentPage {
        let scope = context.attempt.app?.scope ?? AuthorizationRequest.Scope(name: false, email: false)
        return ConsentPage(
            frame: pages.frame(
                Phrase("hosted.consent.title", ["app": client.name]),
                of: context.team,
                in: context.language
            ),
            appName: client.name,
            action: TeamRoutes.consent.link(context.team.id, context.attempt.id),
            formToken: sheetToken(context, user),
            person: PersonView(name: user.name.full, email: user.email?.rawValue),
            name: scope.name
                ? ConsentPage.NameChoice(given: user.name.given, family: user.name.family) : nil,
            email: scope.email
                ? user.email.map { ConsentPage.EmailChoice(address: $0.rawValue, isHidden: false) } : nil
        )
    }

    func continuePage(_ context: Context, _ client: Client, _ user: User) -> ContinuePage {
        let person = PersonView(name: user.name.full, email: user.email?.rawValue)
        return ContinuePage(
            frame: pages.frame(
                Phrase("hosted.consent.title", ["app": client.name]),
                of: context.team,
                in: context.language
            ),
            appName: client.name,
            action: TeamRoutes.confirmation.link(context.team.id, context.attempt.id),
            formToken: sheetToken(context, user),
            person: person,
            givenName: user.name.given.isEmpty ? person.name : user.name.given
        )
    }
}

extension HostedEndpoints.Context {
    /// What the sheets of this sign-in show that somebody decides on.
    fileprivate func sheet(of user: User) -> String { "sheet \(team.id) \(attempt.id) \(user.subject)" }
}
