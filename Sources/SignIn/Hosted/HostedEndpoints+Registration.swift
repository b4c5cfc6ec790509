import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Tenancy
import Web

// Accounts to be: the form, and the mail that shows whose address it is.
extension HostedEndpoints {
    func askToRegister(_ context: Context) throws(Problem) -> Response {
        try requireOpen(context.team)
        return pages.respond(registrationPage(context))
    }

    /// Mails a link; the answer is the same whether the address is known or not.
    ///
    /// Each try counts as a sign-in that is begun: to judge a password costs as much as to hash one.
    func register(_ context: Context) async throws -> Response {
        try requireOpen(context.team)
        let form = try form(of: context)
        try await admit(context.request, context.team.id)
        var page = registrationPage(context)
        page.form.email = form["email"] ?? ""
        page.form.given = form["given_name"] ?? ""
        page.form.family = form["family_name"] ?? ""
        guard let account = try await account(form, in: &page, context) else {
            return page.errors.refuse { pages.respond(page, status: $0) }
        }
        switch try await registrations.begin(account, for: caller(context)) {
        case .mailed: return pages.respond(mailSent(to: page.form.email, context))
        case .busy: throw Problem.unavailable
        case .limited(let wait):
            page.error = Phrase("hosted.registration.limited").asWords
            var response = pages.respond(page, status: .tooManyRequests)
            response.append(.retryAfter, String(max(1, wait.components.seconds)))
            return response
        }
    }

    /// Everything that is wrong is said at once.
    private func account(
        _ form: Form,
        in page: inout RegistrationPage,
        _ context: Context
    ) async throws -> AccountRegistrations.Form? {
        let email = page.errors.require(
            EmailAddress(rawValue: page.form.email),
            "email",
            Phrase("hosted.registration.email-wrong")
        )
        let name = page.errors.require(
            PersonName(given: page.form.given, family: page.form.family),
            "given_name",
            Phrase("hosted.consent.name-wrong")
        )
        let names = [context.team.name, context.client?.name ?? ""]
        let rule = PasswordRule(in: context.team.id, email: email, name: name ?? .none, around: names)
        let choice = PasswordChoice(
            in: "new",
            by: .stranger,
            in: context.team.id,
            from: context.request.auditOrigin,
            at: engine.clock(),
            with: newPasswords
        )
        let password = try await page.errors.take(form["new"] ?? "", by: rule, choice)
        guard let email, let name, let password else { return nil }
        return AccountRegistrations.Form(
            email: email,
            name: name,
            password: password,
            attempt: context.attempt.id.rawValue,
            browserHash: context.visitor.browserHash
        )
    }

    func requireOpen(_ team: TeamSnapshot) throws(Problem) {
        guard team.registration == .open else { throw .notFound }
    }

    private func registrationPage(_ context: Context) -> RegistrationPage {
        RegistrationPage(
            frame: pages.frame(Phrase("hosted.registration.title"), of: context.team, in: context.language),
            action: TeamRoutes.registration.link(context.team.id, context.attempt.id),
            formToken: site.formTokens.token(for: context.visitor.browser),
            backURL: TeamRoutes.attempt.link(context.team.id, context.attempt.id)
        )
    }
}

// A forgotten password.
extension HostedEndpoints {
    func askToRecover(_ context: Context) -> Response {
        var page = recoveryPage(context)
        page.email = context.attempt.loginHint ?? ""
        return pages.respond(page)
    }

    /// Mails a link to choose another password, or to sign in once, if there is such an account; the answer is the same
    /// if not.
    func recover(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        var page = recoveryPage(context)
        page.email = form["email"] ?? ""
        let wait = try await recovery.begin(
            page.email,
            for: form["help"] == "link" ? .signInLink : .newPassword,
            attempt: context.attempt.id.rawValue,
            browserHash: context.visitor.browserHash,
            knownBrowser: door.knownBrowser(page.email, context.request, context.team.id, context.visitor),
            caller(context)
        )
        guard let wait else { return pages.respond(mailSent(to: page.email, context)) }
        page.error = Phrase("hosted.registration.limited").asWords
        var response = pages.respond(page, status: .tooManyRequests)
        response.append(.retryAfter, String(max(1, wait.components.seconds)))
        return response
    }

    func caller(_ context: Context) -> AccountCaller {
        AccountCaller(
            team: context.team.id,
            language: context.language,
            origin: context.request.auditOrigin,
            now: engine.clock()
        )
    }

    /// How a production team's server is set up is none of a stranger's business.
    private func mailSent(to email: String, _ context: Context) -> MessagePage {
        .mailSent(
            to: email,
            isKept: context.team.isSandbox && !engine.sendsMail,
            pages.frame(Phrase("hosted.mail.sent-title"), of: context.team, in: context.language),
            next: (
                TeamRoutes.attempt.link(context.team.id, context.attempt.id),
                Phrase("hosted.mail.back").asWords
            )
        )
    }

    private func recoveryPage(_ context: Context) -> RecoveryPage {
        RecoveryPage(
            frame: pages.frame(Phrase("hosted.recovery.title"), of: context.team, in: context.language),
            action: TeamRoutes.recovery.link(context.team.id, context.attempt.id),
            formToken: site.formTokens.token(for: context.visitor.browser),
            backURL: TeamRoutes.attempt.link(context.team.id, context.attempt.id)
        )
    }
}
