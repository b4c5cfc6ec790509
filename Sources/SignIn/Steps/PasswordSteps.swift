import Core
import Directory
import HTTP
import OAuth
import Platform

/// The first proof: a password.
struct PasswordStep: Sendable {
    let steps: InteractionSteps

    /// Verifies the password and stores the proof.
    func prove(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        if form["decision"] == "cancel" { return try await steps.cancel(context) }
        try await steps.admit(context.request, context.team.id)
        let (request, team, browserContext) = (context.request, context.team.id, context.browserContext)
        let result = try await steps.sessionIssuer.authenticate(form, request, team, browserContext)
        guard case .success(let user) = result else {
            let refusal = SignInRefusal(result)
            steps.traces.record(
                .proofRefused, of: context.interaction, in: team, from: request.auditOrigin, cause: refusal.cause)
            return refuse(refusal, context, login: form["email"] ?? "")
        }
        return try await steps.keepFirstProof(of: user, by: .password, login: form["email"] ?? "", context)
    }

    private func refuse(_ refusal: SignInRefusal, _ context: InteractionContext, login: String) -> Response {
        var page = steps.signInPage(context)
        page.email = login
        page.error = refusal.words.localizedText
        page.offersLink = refusal.cause == .accountLocked
        return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
    }
}

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
        switch try await registrations.begin(account, for: steps.caller(context)) {
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
            in: "new", of: context.team.id, from: context.request.auditOrigin, at: steps.server.clock(),
            with: newPasswords)
        let password = try await page.errors.take(form["new"] ?? "", by: rule, choice)
        guard let email, let name, let password else { return nil }
        return AccountRegistrations.Form(
            email: email, name: name, password: password, interaction: context.interaction.id.rawValue,
            browserHash: context.browserContext.browserHash, requestQuery: context.interaction.app?.query)
    }

    private func registrationPage(_ context: InteractionContext) -> RegistrationPage {
        RegistrationPage(
            form: steps.form(
                Message("hosted.registration.title"), to: TeamRoutes.registration, of: context, leadsBack: true),
            languages: context.languageTags)
    }
}

/// Forgotten passwords: the mail with a link to a new password or to one sign-in.
struct RecoveryStep: Sendable {
    let steps: InteractionSteps
    let recovery: PasswordRecovery

    func ask(_ context: InteractionContext) -> Response {
        let form = steps.form(Message("hosted.recovery.title"), to: TeamRoutes.recovery, of: context, leadsBack: true)
        return steps.pages.respond(RecoveryPage(form: form, email: context.interaction.app?.loginHint ?? ""))
    }

    /// Mails a link to choose a new password or to sign in once; the response is the same if there is no such account.
    func recover(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        try await steps.admit(context.request, context.team.id)
        let email = form["email"] ?? ""
        try await recovery.begin(
            email, for: form["help"] == "link" ? .signInLink : .newPassword,
            interaction: context.interaction.id.rawValue, browserHash: context.browserContext.browserHash,
            knownBrowser: steps.sessionIssuer.knownBrowser(
                email, context.request, context.team.id, context.browserContext), steps.caller(context))
        return steps.pages.respond(steps.mailSent(to: email, context))
    }
}
