import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Decisions of an authenticated user: consent at the first sign-in to an app, confirmation at every later one.
struct ConsentStep: Sendable {
    let steps: InteractionSteps

    func consent(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        if form["decision"] == "cancel" { return try await steps.cancel(context) }
        guard let app = context.interaction.app, let client = context.client, let session = context.session,
            isOfSheet(form, context, session)
        else { return steps.redirectToInteraction(context) }
        let scope = app.scope
        let given = form["given_name"] ?? ""
        let family = form["family_name"] ?? ""
        guard let name = PersonName(given: given, family: family) else {
            var page = consentPage(context, client, session.user)
            page.errors.add("given_name", Message("hosted.consent.name-wrong"))
            page.name = nameChoice(context, given, family, page.errors)
            return steps.pages.respond(page, status: .unprocessableContent)
        }
        let hides = form["email_choice"] == "hide"
        let hasAddress = session.user.email != nil
        let choice = ConsentChoice(
            name: scope.name ? name : nil, email: scope.email && hasAddress ? (hides ? .hidden : .shared) : .withheld)
        let answer = try await steps.interactions.consent(
            to: context.interaction, choice, of: session, in: context.team, from: context.visit.origin)
        return try steps.exit(with: answer, context)
    }

    func confirm(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        switch form["decision"] {
        case "cancel": return try await steps.cancel(context)
        case "switch":
            try await steps.interactions.requireReauthentication(in: context.interaction)
            return steps.redirectToInteraction(context)
        default: break
        }
        guard let session = context.session, isOfSheet(form, context, session),
            case .confirmation(let consent) = try await steps.interactions.nextStep(of: context.interaction, session)
        else { return steps.redirectToInteraction(context) }
        let answer = try await steps.interactions.confirm(
            context.interaction, under: consent, of: session, in: context.team, from: context.visit.origin)
        return try steps.exit(with: answer, context)
    }

    /// Whether the form was shown to the signed-in user, in this interaction.
    ///
    /// Another user may have signed in in another tab, and must see their own page before an app receives their data.
    private func isOfSheet(_ form: Form, _ context: InteractionContext, _ session: Session) -> Bool {
        steps.site.formTokens.isValid(
            form["csrf"], for: context.visit.browser, showing: context.sheet(of: session.user))
    }

    /// A form that counts for this user alone.
    private func form(
        to route: Route<TeamID, InteractionID>, _ context: InteractionContext, _ client: Client, _ user: User
    ) -> HostedForm {
        HostedForm(
            frame: steps.pages.frame(
                Message("hosted.consent.title", ["app": client.name]), of: context.team, in: context.language),
            action: route.link(context.team.id, context.interaction.id),
            token: steps.site.formTokens.token(for: context.visit.browser, showing: context.sheet(of: user)),
            restart: steps.site.restart(context.interaction))
    }

    func consentPage(_ context: InteractionContext, _ client: Client, _ user: User) -> ConsentPage {
        let scope = context.interaction.app?.scope ?? AuthorizationRequest.Scope(name: false, email: false)
        return ConsentPage(
            form: form(to: TeamRoutes.consent, context, client, user), appName: client.name,
            person: PersonView(name: user.name.full, email: user.email?.shown),
            name: scope.name ? nameChoice(context, user.name.given, user.name.family) : nil,
            email: scope.email ? user.email.map { ConsentPage.EmailChoice(address: $0.shown, isHidden: false) } : nil)
    }

    private func nameChoice(
        _ context: InteractionContext, _ given: String, _ family: String, _ errors: FieldErrors = FieldErrors()
    ) -> ConsentPage.NameChoice {
        ConsentPage.NameChoice(fields: Input.names(given: given, family: family, in: context.languageTags, errors))
    }

    func continuePage(_ context: InteractionContext, _ client: Client, _ user: User) -> ContinuePage {
        let person = PersonView(name: user.name.full, email: user.email?.shown)
        return ContinuePage(
            form: form(to: TeamRoutes.confirmation, context, client, user), appName: client.name, person: person,
            givenName: user.name.given.isEmpty ? person.name : user.name.given)
    }
}

extension InteractionContext {
    /// Interaction and user to which the form tokens of the consent and confirmation pages are bound.
    fileprivate func sheet(of user: User) -> String { "sheet \(team.id) \(interaction.id) \(user.subject)" }
}

/// Consent at the first sign-in to an app: the data that the app will receive.
struct ConsentPage: FormPage {
    static let template = "hosted/consent"
    static let fields = formFields.with {
        $0.text("appName") { $0.appName }
        $0.errors { $0.errors.links }
        $0.group("person", PersonView.fields) { $0.person }
        $0.optionalGroup("name", NameChoice.fields) { $0.name }
        $0.optionalGroup("email", EmailChoice.fields) { $0.email }
    }

    /// Present if the app requests the name.
    struct NameChoice: Sendable {
        let fields: [Input]

        static let fields = Fields<NameChoice> { $0.list("fields", Input.fields) { $0.fields } }
    }

    /// Present if the app requests the email address.
    struct EmailChoice: Sendable {
        let address: String
        let isHidden: Bool

        static let fields = Fields<EmailChoice> {
            $0.text("address") { $0.address }
            $0.flag("hidden") { $0.isHidden }
            // This version has no relay, and the page says so.
            $0.flag("forwards") { _ in false }
        }
    }

    let form: HostedForm
    let appName: String
    var errors = FieldErrors()
    let person: PersonView
    var name: NameChoice?
    let email: EmailChoice?
}

/// Confirmation at every later sign-in to an app.
struct ContinuePage: FormPage {
    static let template = "hosted/continue"
    static let fields = formFields.with {
        $0.text("appName") { $0.appName }
        $0.group("person", PersonView.fields) { $0.person }
        $0.text("given") { $0.givenName }
    }

    let form: HostedForm
    let appName: String
    let person: PersonView
    /// Name of the user on the button.
    let givenName: String
}
