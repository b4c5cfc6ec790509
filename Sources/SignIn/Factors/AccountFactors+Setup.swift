import Core
import Directory
import HTTP
import OAuth
import Platform

// Adding a factor on the account pages.
extension AccountFactors {
    /// Page on which a factor is added.
    enum SetupPage: Sendable {
        case newTOTP
        case newPasskey
    }

    func askForTOTP(_ person: SignedInUser) async throws -> Response {
        let replaces = try await steps.factors.totp.find(of: person.subject, in: person.team.id) != nil
        return respond(setup(person, .newTOTP).totp(replaces: replaces), person)
    }

    func askForPasskey(_ person: SignedInUser) async throws -> Response {
        guard let page = try await setup(person, .newPasskey).passkey() else { throw UserFacingError.notFound }
        return respond(page, person)
    }

    func enrol(_ person: SignedInUser, page: SetupPage) async throws -> Response {
        let form = try steps.form(of: person)
        let enrolment = FactorEnrolment(
            factors: steps.factors, subject: person.subject, team: person.team.id,
            browser: person.browserContext.browser, origin: person.request.auditOrigin, now: steps.server.clock(),
            isFirst: false, right: .session(steps.freshRight(of: person)), mailer: steps.factorPost(person))
        switch try await enrolment.add(form) {
        case .added(let kind, let codes): return try await added(kind, codes, person)
        case .refused(.totp, let words, let offer):
            return respond(setup(person, page).totp(offer, error: words), person, status: .unprocessableContent)
        case .refused(_, let words, _):
            let page = try await setup(person, page).passkey(named: form["name"], error: words)
            guard let page else { throw UserFacingError.notFound }
            return respond(page, person, status: .unprocessableContent)
        // The account page redirects to a sign-in if the session has ended.
        case .expired: return .redirect(to: TeamRoutes.account.link(person.team.id))
        case .notFirst, nil: throw UserFacingError.notFound
        }
    }

    private func setup(_ person: SignedInUser, _ page: SetupPage) -> FactorSetup {
        let team = person.team.id
        let (title, action) =
            switch page {
            case .newTOTP: (Message("hosted.factors.set-up.totp.title"), TeamRoutes.newTOTP.link(team))
            case .newPasskey: (Message("hosted.factors.set-up.passkey.title"), TeamRoutes.newPasskey.link(team))
            }
        return FactorSetup(
            factors: steps.factors, user: person.session.user, team: person.team,
            browser: person.browserContext.browser, frame: steps.frame(title, person),
            formToken: steps.formToken(person), action: action, now: steps.server.clock())
    }

    private func respond(_ page: FactorSetupPage, _ person: SignedInUser, status: Status = .ok) -> Response {
        var page = page
        page.backURL = TeamRoutes.account.link(person.team.id)
        return factorPages.respond(page, status: status)
    }
}
