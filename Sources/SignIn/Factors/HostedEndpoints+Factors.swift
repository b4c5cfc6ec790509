import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web
import WebAuthn

// The second proof of a sign-in, and a passkey as its only one.
extension HostedEndpoints {
    func mountFactors(on router: inout Router) {
        router.post(TeamRoutes.attemptFactor, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await proveFactor($0) }
        }
        router.post(TeamRoutes.attemptEnrolment, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await enrolFactor($0) }
        }
        router.post(TeamRoutes.attemptPasskey, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await provePasskey($0) }
        }
    }

    /// Asks for the second factor.
    ///
    /// - Parameter kind: what was asked for before; the address says it where nothing was.
    func factorPage(
        _ context: Context,
        of subject: Subject,
        wanted kind: FactorKind? = nil
    ) async throws -> FactorPage {
        let (team, attempt) = (context.team, context.attempt.id)
        let prompt = FactorPrompt(
            factors: factors,
            subject: subject,
            team: team,
            browser: context.visitor.browser,
            frame: pages.frame(Phrase("hosted.factors.prove.title"), of: team, in: context.language),
            formToken: site.formTokens.token(for: context.visitor.browser),
            action: TeamRoutes.attemptFactor.link(team.id, attempt),
            address: TeamRoutes.attempt.link(team.id, attempt),
            now: engine.clock()
        )
        let wanted = try kind ?? context.request.query()["with"].flatMap(FactorKind.init)
        var page = try await prompt.page(try await factors.kinds(of: subject, in: team.id), wanted: wanted)
        page.isCancellable = context.client != nil
        return page
    }

    /// Has somebody set up a factor who needs one.
    func enrolmentPage(_ context: Context, of subject: Subject) async throws -> FactorSetupPage {
        let setup = try await setup(context, of: subject)
        let address = TeamRoutes.attempt.link(context.team.id, context.attempt.id)
        var page: FactorSetupPage
        switch try context.request.query()["with"] {
        case "totp": page = setup.totp()
        case "passkey": page = try await setup.passkey() ?? setup.choices(at: address)
        default: page = setup.choices(at: address)
        }
        page.isCancellable = context.client != nil
        if page.choices.isEmpty { page.backURL = address }
        return page
    }

    /// Compares the second proof and keeps it.
    private func proveFactor(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        guard case .owes(.proof, let identity) = context.attempt.progress.standing(hasSession: false) else {
            return again(context)
        }
        let proof = FactorProof(
            subject: identity.subject,
            team: context.team.id,
            attempt: context.attempt.id.rawValue,
            browser: context.visitor.browser,
            origin: context.request.auditOrigin,
            now: engine.clock()
        )
        guard let (kind, result) = try await proof.check(form, with: factors) else { return again(context) }
        if result == .proved { return try await keep(kind, of: identity.subject, context) }
        return try await refuse(kind, result, of: identity.subject, context)
    }

    /// Asks once more, and tells the team why.
    private func refuse(
        _ kind: FactorKind,
        _ result: FactorResult,
        of subject: Subject,
        _ context: Context
    ) async throws -> Response {
        flows.record(
            .proofRefused,
            of: context.attempt,
            in: context.team.id,
            by: subject,
            from: context.request.auditOrigin,
            cause: result == .wrong ? .secondFactorWrong : .secondFactorLocked
        )
        guard result != .attemptOver else { throw Problem.fiveWrongCodes }
        var page = try await factorPage(context, of: subject, wanted: kind)
        page.error = result.words(kind)?.asWords
        let status: Status = result == .wrong ? .unauthorized : .tooManyRequests
        return factorPages.respond(page, status: status, retryAfter: result.retryAfter)
    }

    /// Adds the factor that the team wants, which proves itself by that.
    private func enrolFactor(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        guard case .owes(.enrolment, let identity) = context.attempt.progress.standing(hasSession: false)
        else { return again(context) }
        let enrolment = FactorEnrolment(
            factors: factors,
            subject: identity.subject,
            team: context.team.id,
            browser: context.visitor.browser,
            origin: context.request.auditOrigin,
            now: engine.clock(),
            isFirst: true,
            right: flow.enrolmentRight(
                of: identity.subject,
                in: context.attempt,
                browserHash: context.visitor.browserHash,
                of: context.team.id
            ),
            post: FactorPost(post, in: context.language)
        )
        switch try await enrolment.add(form) {
        case .added(let kind, let codes):
            let response = try await keep(kind, of: identity.subject, context)
            guard let codes else { return response }
            return show(codes, context, cookies: response)
        // Somebody was faster; the password, typed once more, leads to the question for that factor.
        case .notFirst, .over: throw Problem.attemptOver
        case .refused(let kind, let words, let offer):
            let setup = try await setup(context, of: identity.subject)
            let page =
                kind == .totp
                ? setup.totp(offer, error: words) : try await setup.passkey(named: form["name"], error: words)
            guard var page else { return again(context) }
            page.backURL = TeamRoutes.attempt.link(context.team.id, context.attempt.id)
            return factorPages.respond(page, status: .unprocessableContent)
        case nil: return again(context)
        }
    }

    /// Signs in whoever has the key.
    private func provePasskey(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        let (team, visitor) = (context.team, context.visitor)
        guard let passkeys = factors.passkeys, team.secondFactor != .off else { throw Problem.notFound }
        // Each is a session and an event, and a key in software signs as often as it is asked.
        try await admit(context.request, team.id)
        guard let response = form.assertion,
            let user = try await passkeys.signIn(
                response,
                browser: visitor.browser,
                in: team.id,
                from: context.request.auditOrigin,
                at: engine.clock()
            )
        else {
            var page = signInPage(context)
            page.error = Phrase("hosted.factors.passkey.unknown").asWords
            return pages.respond(page, status: .unauthorized)
        }
        let wait = try await counts.charge(
            .account("passkey-proofs", user.subject.rawValue),
            limit: PasskeyProofs.perPerson,
            window: PasskeyProofs.window,
            in: team.id,
            at: engine.clock()
        )
        guard wait == nil else { throw Problem.tooManySignIns }
        let isKept = try await flow.prove(
            user,
            by: .passkey,
            login: "",
            owing: .nothing,
            in: context.attempt,
            browserHash: visitor.browserHash,
            of: team.id
        )
        guard isKept else { throw Problem.attemptOver }
        return try await goOn(context)
    }

    /// The button beside the password, where the team wants more than a password at all.
    func passkeyForm(_ context: Context) -> PasskeyFormView? {
        guard let passkeys = factors.passkeys, context.team.secondFactor != .off else { return nil }
        let options = RequestOptions(
            party: passkeys.party,
            challenge: passkeys.challenges.make(
                .signIn,
                browser: context.visitor.browser,
                in: context.team.id,
                at: engine.clock()
            ),
            allowed: [],
            requiresUserVerification: true
        )
        return PasskeyFormView(
            kind: .get,
            action: TeamRoutes.attemptPasskey.link(context.team.id, context.attempt.id),
            formToken: site.formTokens.token(for: context.visitor.browser),
            options: options.json,
            label: Phrase("hosted.factors.passkey.sign-in").asWords,
            isConditional: true,
            isQuiet: true
        )
    }

    private func keep(_ kind: FactorKind, of subject: Subject, _ context: Context) async throws -> Response {
        let isKept = try await flow.proveAgain(
            subject,
            by: kind.method,
            in: context.attempt,
            browserHash: context.visitor.browserHash,
            of: context.team.id
        )
        guard isKept else { throw Problem.attemptOver }
        return try await goOn(context)
    }

    /// Shows the first recovery codes in the place of the answer that would go on, whose cookies they bring.
    private func show(_ codes: [RecoveryCode], _ context: Context, cookies: Response) -> Response {
        let team = context.team
        var response = factorPages.respond(
            RecoveryCodesPage(
                frame: pages.frame(Phrase("hosted.factors.codes.title"), of: team, in: context.language),
                codes: codes,
                formToken: site.formTokens.token(for: context.visitor.browser),
                fileURL: TeamRoutes.recoveryCodeFile.link(team.id),
                continueURL: TeamRoutes.attempt.link(team.id, context.attempt.id)
            )
        )
        for field in cookies.fields where field.name == .setCookie {
            response.append(.setCookie, field.value)
        }
        return response
    }

    private func setup(_ context: Context, of subject: Subject) async throws -> FactorSetup {
        guard let user = try await factors.users.find(subject, in: context.team.id) else {
            throw Problem.attemptOver
        }
        return FactorSetup(
            factors: factors,
            user: user,
            team: context.team,
            browser: context.visitor.browser,
            frame: pages.frame(
                Phrase("hosted.factors.set-up.title"),
                of: context.team,
                in: context.language
            ),
            formToken: site.formTokens.token(for: context.visitor.browser),
            action: TeamRoutes.attemptEnrolment.link(context.team.id, context.attempt.id),
            now: engine.clock()
        )
    }
}

extension Problem {
    /// Five codes in one sign-in were wrong.
    static let fiveWrongCodes = Problem(
        .tooManyRequests,
        Phrase("hosted.factors.prove.over.headline"),
        Phrase("hosted.factors.prove.over.message"),
        advice: Phrase("hosted.factors.prove.over.advice")
    )
}

/// How often a person may sign in by a passkey: as often as by a right password.
enum PasskeyProofs {
    static let perPerson = 100
    static let window = Duration.seconds(900)
}
