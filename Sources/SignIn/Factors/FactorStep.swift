import Core
import Directory
import HTTP
import OAuth
import Platform

/// The second factor of a sign-in, and a passkey as its only proof.
struct FactorStep: Sendable {
    let steps: InteractionSteps
    let mailer: AccountMailer

    func mount(on router: inout Router) {
        router.post(TeamRoutes.interactionFactor, .form, steps.directoryStep(proveFactor))
        router.post(TeamRoutes.interactionEnrolment, .form, steps.directoryStep(enrolFactor))
        router.post(TeamRoutes.interactionPasskey, .form, steps.directoryStep(provePasskey))
    }

    /// Page that requests the second factor.
    ///
    /// - Parameter kind: kind requested before; nil for the kind in the query, if any.
    func factorPage(_ context: InteractionContext, of subject: Subject, wanted kind: FactorKind? = nil) async throws
        -> FactorPage
    {
        let team = context.team
        let prompt = FactorPrompt(
            factors: steps.factors, subject: subject, team: team, browser: context.visit.browser,
            form: steps.form(Message("hosted.factors.prove.title"), to: TeamRoutes.interactionFactor, of: context),
            address: TeamRoutes.interaction.link(team.id, context.interaction.id), now: steps.server.clock())
        let wanted = try kind ?? context.request.query()["with"].flatMap(FactorKind.init)
        var page = try await prompt.page(try await steps.factors.kinds(of: subject, in: team.id), wanted: wanted)
        page.isCancellable = context.client != nil
        return page
    }

    /// Page on which a user without a factor adds the one that the team requires.
    func enrolmentPage(_ context: InteractionContext, of subject: Subject) async throws -> FactorSetupPage {
        let setup = try await setup(context, of: subject)
        let address = TeamRoutes.interaction.link(context.team.id, context.interaction.id)
        var page: FactorSetupPage
        switch try context.request.query()["with"] {
        case "totp": page = setup.totp()
        case "passkey": page = try await setup.passkey() ?? setup.choices(at: address)
        default: page = setup.choices(at: address)
        }
        page.isCancellable = context.client != nil
        if page.choices.isEmpty { page.form.backURL = address }
        return page
    }

    /// Verifies the second factor and stores the proof.
    private func proveFactor(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        if form["decision"] == "cancel" { return try await steps.cancel(context) }
        guard case .owes(.proof, let identity) = context.interaction.progress.status(hasSession: false) else {
            return steps.redirectToInteraction(context)
        }
        // Codes have their own limit of tries; passkey responses have none.
        if form["method"] == FactorKind.passkey.rawValue { try await steps.admit(context.request, context.team.id) }
        let proof = FactorProof(
            subject: identity.subject, team: context.team.id, interaction: context.interaction.id.rawValue,
            browser: context.visit.browser, origin: context.visit.origin, now: steps.server.clock())
        guard let (kind, result) = try await proof.check(form, with: steps.factors) else {
            return steps.redirectToInteraction(context)
        }
        if result == .proved { return try await keep(kind, of: identity.subject, context) }
        return try await refuse(kind, result, of: identity.subject, context)
    }

    /// Requests the factor again, and records the cause in the sign-in trace.
    private func refuse(_ kind: FactorKind, _ result: FactorResult, of subject: Subject, _ context: InteractionContext)
        async throws -> Response
    {
        steps.traces.record(
            .proofRefused, of: context.interaction, by: subject, from: context.visit.origin,
            cause: result == .wrong ? .secondFactorWrong : .secondFactorLocked)
        guard result != .interactionExpired else { throw UserFacingError.fiveWrongCodes }
        var page = try await factorPage(context, of: subject, wanted: kind)
        page.error = result.words(kind)
        let status: Status = result == .wrong ? .unauthorized : .tooManyRequests
        return steps.pages.respond(page, status: status, retryAfter: result.retryAfter)
    }

    /// Adds the factor that the team requires, which also proves it.
    private func enrolFactor(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        if form["decision"] == "cancel" { return try await steps.cancel(context) }
        guard case .owes(.enrolment, let identity) = context.interaction.progress.status(hasSession: false) else {
            return steps.redirectToInteraction(context)
        }
        let enrolment = FactorEnrolment(
            factors: steps.factors, subject: identity.subject, team: context.team.id, browser: context.visit.browser,
            origin: context.visit.origin, now: steps.server.clock(), isFirst: true,
            right: steps.interactions.enrolmentRight(of: identity.subject, in: context.interaction),
            mailer: FactorMailer(mailer, in: context.language))
        switch try await enrolment.add(form) {
        case .added(let kind, let codes):
            let response = try await keep(kind, of: identity.subject, context)
            guard let codes else { return response }
            return show(codes, context, cookies: response)
        // Another request was faster. Entering the password again leads to the page that requests its factor.
        case .notFirst, .expired: throw UserFacingError.interactionExpired
        case .refused(let kind, let words, let offer):
            let setup = try await setup(context, of: identity.subject)
            let page =
                kind == .totp
                ? setup.totp(offer, error: words) : try await setup.passkey(named: form["name"], error: words)
            guard var page else { return steps.redirectToInteraction(context) }
            page.form.backURL = TeamRoutes.interaction.link(context.team.id, context.interaction.id)
            return steps.pages.respond(page, status: .unprocessableContent)
        case nil: return steps.redirectToInteraction(context)
        }
    }

    /// Signs in the user who owns the passkey.
    private func provePasskey(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        let team = context.team
        guard let passkeys = steps.factors.passkeys, team.secondFactor != .off else { throw UserFacingError.notFound }
        // Each stores a session and an event, and a passkey in software can sign at any rate.
        try await steps.admit(context.request, team.id)
        guard let response = form.assertion,
            let user = try await passkeys.signIn(
                response, browser: context.visit.browser, in: team.id, from: context.visit.origin,
                at: steps.server.clock())
        else {
            var page = steps.signInPage(context)
            page.error = Message("hosted.factors.passkey.unknown").localizedText
            return steps.pages.respond(page, status: .unauthorized)
        }
        let proved = try await steps.interactions.prove(
            user, by: .passkey, login: "", owing: .nothing, in: context.interaction)
        return try await steps.advance(to: proved, of: user, context)
    }

    private func keep(_ kind: FactorKind, of subject: Subject, _ context: InteractionContext) async throws -> Response {
        let proved = try await steps.interactions.proveAgain(subject, by: kind.method, in: context.interaction)
        return try await steps.advance(to: proved, of: try await user(subject, context), context)
    }

    private func user(_ subject: Subject, _ context: InteractionContext) async throws -> User {
        guard let user = try await steps.factors.users.find(subject, in: context.team.id) else {
            throw UserFacingError.interactionExpired
        }
        return user
    }

    /// Shows the first recovery codes in place of the response that would continue, with that response's cookies.
    private func show(_ codes: [RecoveryCode], _ context: InteractionContext, cookies: Response) -> Response {
        let team = context.team
        var response = steps.pages.respond(
            RecoveryCodesPage(
                form: HostedForm(
                    frame: steps.pages.frame(Message("hosted.factors.codes.title"), of: team, in: context.language),
                    action: TeamRoutes.recoveryCodeFile.link(team.id),
                    token: steps.site.formTokens.token(for: context.visit.browser)), codes: codes,
                continueURL: TeamRoutes.interaction.link(team.id, context.interaction.id)))
        for field in cookies.fields where field.name == .setCookie { response.append(.setCookie, field.value) }
        return response
    }

    private func setup(_ context: InteractionContext, of subject: Subject) async throws -> FactorSetup {
        FactorSetup(
            factors: steps.factors, user: try await user(subject, context), team: context.team,
            browser: context.visit.browser,
            form: steps.form(Message("hosted.factors.set-up.title"), to: TeamRoutes.interactionEnrolment, of: context),
            now: steps.server.clock())
    }
}

extension UserFacingError {
    /// Five codes were wrong in one interaction or session.
    static let fiveWrongCodes = UserFacingError(.tooManyRequests, "hosted.factors.prove.over")
}
