import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Registration: the form, and the mail that verifies the address.
struct RegistrationStep: Sendable {
    let steps: InteractionSteps
    let registrations: AccountRegistrations
    let newPasswords: NewPasswords

    func ask(_ context: InteractionContext) throws(UserFacingError) -> Response {
        try context.team.requireOpenRegistration()
        return steps.pages.respond(registrationPage(context))
    }

    /// Mails a link; the response is the same whether or not the address is in use.
    ///
    /// Each try counts, because assessing a password costs as much as hashing one.
    func register(_ context: InteractionContext) async throws -> Response {
        try context.team.requireOpenRegistration()
        let form = try steps.form(of: context)
        var page = registrationPage(context)
        page.email = form["email"] ?? ""
        page.given = form["given_name"] ?? ""
        page.family = form["family_name"] ?? ""
        guard let account = try await account(form, in: &page, context) else {
            return steps.pages.respond(page, status: .unprocessableContent)
        }
        switch try await registrations.begin(account, for: context.visit.caller(in: context.language)) {
        case .mailed: return steps.pages.respond(steps.mailSent(to: page.email, context))
        case .busy: throw UserFacingError.unavailable
        }
    }

    /// Reads the form; nil if it has errors, which the page then shows all at once.
    private func account(_ form: Form, in page: inout RegistrationPage, _ context: InteractionContext) async throws
        -> AccountRegistrations.Form?
    {
        let email = page.errors.require(
            EmailAddress(typed: page.email), "email", Message("hosted.registration.email-wrong"))
        let name = page.errors.require(
            PersonName(given: page.given, family: page.family), "given_name", Message("hosted.consent.name-wrong"))
        let names = [context.team.name, context.client?.name ?? ""]
        let rule = PasswordRule(in: context.team.id, email: email, name: name ?? .none, around: names)
        let choice = PasswordChoice(
            in: "new", of: context.team.id, from: context.visit.origin, at: steps.server.clock(), with: newPasswords)
        let password = try await page.errors.take(form["new"] ?? "", by: rule, choice)
        guard let email, let name, let password else { return nil }
        // The `state` of a test sign-in is not stored; it would be over by then.
        let app = context.interaction.app.flatMap { $0.testSignIn == nil ? $0 : nil }
        return AccountRegistrations.Form(
            email: email, name: name, password: password, interaction: context.interaction.id.rawValue,
            browserHash: context.visit.browserHash, requestQuery: app?.query)
    }

    private func registrationPage(_ context: InteractionContext) -> RegistrationPage {
        RegistrationPage(
            form: steps.form(
                Message("hosted.registration.title"), to: TeamRoutes.registration, of: context, leadsBack: true),
            languages: context.languageTags)
    }
}

/// Form for a new account: email address, name, password.
struct RegistrationPage: FormPage {
    static let template = "hosted/registration"
    static let fields = formFields.with {
        $0.group("email", Input.fields) { page in
            Input(
                "email", Message("hosted.sign-in.email"), page.email, as: .line("email"), autocomplete: "username",
                hint: Message("hosted.registration.email-hint"), errors: page.errors)
        }
        $0.list("names", Input.fields) { page in
            Input.names(given: page.given, family: page.family, in: page.languages, page.errors)
        }
        $0.group("password", Input.fields) { page in .newPassword(in: page.frame.team, page.errors) }
    }

    let form: HostedForm
    /// Language tags of the user, the most preferred first.
    let languages: String
    var email = ""
    var given = ""
    var family = ""
    var errors = FieldErrors()
}
