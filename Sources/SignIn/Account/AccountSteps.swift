import Core
import Directory
import HTTP
import OAuth
import Platform

/// What the pages of an account share: the signed-in user of a request, the limits of forms, and recent proofs.
struct AccountSteps: Sendable {
    let pages: HostedPages
    let factors: SecondFactors
    let sessionIssuer: SessionIssuer
    let teams: TeamCache
    let sessions: SessionStore
    let accounts: AccountStores
    let database: TeamDatabase
    let mailer: AccountMailer
    let server: ServerContext

    var site: Site { pages.site }

    /// Runs `body` for the signed-in user; without a session, redirects to a sign-in that leads back to the page.
    ///
    /// - Parameter ending: whether the form only ends sessions, or deletes the account.
    /// - Throws: `UserFacingError` if the user has sent too many forms, and the errors of `body`.
    func asPerson(
        _ request: Request, _ teamID: TeamID, ending: Bool = false, _ body: (SignedInUser) async throws -> Response
    ) async throws -> Response {
        let (team, browserContext) = try await arrive(request, teamID)
        guard let session = browserContext.session else {
            let asked = request.method == .get ? request.path : TeamRoutes.account.link(teamID)
            let next = PercentCoding.encode(asked)
            return .redirect(to: "\(TeamRoutes.session.link(teamID))?next=\(next)")
        }
        let person = SignedInUser(
            request: request, team: team, browserContext: browserContext, session: session, language: request.language)
        if request.method == .post {
            // Checked before counting, so that forged cross-site requests do not use up the user's limit.
            try site.checkOrigin(of: request)
            // A form that only ends something counts for its session, so that no other session of the user, which may
            // be stolen, keeps the user from ending it.
            let key = ending ? LimitKey.session(session.id.text) : .account(person.subject)
            try await database.count([RateLimit.Use(.changes, by: key)], in: team.id, at: server.clock())
        }
        do { return try await body(person) } catch is SessionRight.Ended {
            return .redirect(to: TeamRoutes.account.link(teamID))
        }
    }

    /// Right of the user, by this session, to change their own data.
    func right(of person: SignedInUser) -> SessionRight {
        SessionRight(person.session, in: person.team.id, clock: server.clock)
    }

    /// Right of the user, by this session, to make changes that require a recent proof.
    func freshRight(of person: SignedInUser) -> SessionRight {
        SessionRight(person.session, in: person.team.id, provedWithin: Self.proofLife, clock: server.clock)
    }

    /// Fields of a form that was served to this browser for this user.
    ///
    /// - Throws: `UserFacingError`; `SessionRight.Ended` for a form of another user, who was signed in in this browser
    ///   before.
    func form(of person: SignedInUser) throws -> Form {
        let browser = person.browserContext.browser
        let form = try site.form(of: person.request, from: browser)
        guard site.formTokens.isValid(form["csrf"], for: browser, showing: person.sheet) else {
            throw SessionRight.Ended()
        }
        return form
    }

    /// Redirects to the account page, which shows the result.
    func home(_ person: SignedInUser, _ change: AccountChange) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(person.team.id))
        response.set(change.cookie(site.cookies, of: person.team.id))
        return response
    }

    func frame(_ title: Message, _ person: SignedInUser) -> HostedFrame {
        pages.frame(title, of: person.team, in: person.language)
    }

    func formToken(_ person: SignedInUser) -> String {
        site.formTokens.token(for: person.browserContext.browser, showing: person.sheet)
    }

    func arrive(_ request: Request, _ teamID: TeamID) async throws -> (TeamSnapshot, BrowserContext) {
        guard let team = try await teams.snapshot(of: teamID) else { throw UserFacingError.notFound }
        let browserContext = try await BrowserContext.read(
            request, team: team, cookies: site.cookies, sessions: sessions, gate: factors.gate, server: server)
        return (team, browserContext)
    }
}
