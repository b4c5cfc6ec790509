import Crypto
import Directory
import HTTP
import OAuth
import Platform

/// Creates sessions from proofs; the only place that does, for sign-ins, the account page and the console.
struct SessionIssuer: Sendable {
    /// Lifetime of the cookie in the browser; the session itself may end sooner.
    private static let cookieLife = Duration.seconds(30 * 86_400)
    private static let knownBrowserLife = Duration.seconds(365 * 86_400)

    let site: Site
    let passwords: PasswordSignIn
    let sessions: SessionStore
    let server: ServerContext

    /// Verifies `email` and `password` of a form, without creating a session.
    func authenticate(_ form: Form, _ request: Request, _ team: TeamID, _ browserContext: BrowserContext) async throws
        -> SignInResult
    {
        let login = form["email"] ?? ""
        return try await passwords.authenticate(
            login: login, password: form["password"] ?? "", in: team, from: request.auditOrigin,
            knownBrowser: knownBrowser(login, request, team, browserContext), at: server.clock())
    }

    /// Creates a session with a new token, from the proofs that `Interactions.enter` provides.
    ///
    /// - Returns: cookies of the session for the browser; nil if the proofs have been used.
    func enter(
        _ identity: InteractionProgress.Identity, second: Proof?, to app: ClientID?, taking proofs: SessionStore.Proofs,
        _ request: Request, _ team: TeamID, _ browserContext: BrowserContext
    ) async throws -> [SetCookie]? {
        let beginning = SessionStore.Beginning(
            of: identity.subject, by: [identity.proof.method, second?.method].compactMap { $0 }, to: app,
            from: request.auditOrigin, replacing: browserContext.sessionToken, at: server.clock())
        let login = identity.login
        // Only a typed login name makes the browser known to it. The user is read before the session begins, which
        // rejects proofs of credentials that have changed since.
        var person: User?
        if !login.isEmpty { person = try await passwords.holder(of: login, in: team) }
        guard let token = try await sessions.begin(beginning, taking: proofs, in: team) else { return nil }
        guard let person, person.subject == identity.subject else { return [cookie(for: token, of: team)] }
        return [cookie(for: token, of: team), remember(login, of: person, request, team, browserContext)]
    }

    /// Cookie that makes this browser known to a login name.
    ///
    /// - Parameter changes: number of changes to the user's credentials by this request since the user was read.
    func remember(
        _ login: String, of person: User, after changes: Int = 0, _ request: Request, _ team: TeamID,
        _ browserContext: BrowserContext
    ) -> SetCookie {
        let mark = KnownBrowsers.mark(of: person, after: changes)
        return site.cookies.cookie(
            KnownBrowsers.cookieName(site.cookies, of: team),
            knownBrowsers(request, team, browserContext).adding(login, mark: mark), maxAge: Self.knownBrowserLife)
    }

    /// Whether the login name has signed in in this browser before, with the current credentials.
    func knows(_ login: String, _ request: Request, _ team: TeamID, _ browserContext: BrowserContext) async throws
        -> Bool
    { try await knownBrowser(login, request, team, browserContext) != nil }

    /// Identifies a known browser to the account's counters; nil for any other, and if the credentials have changed
    /// since.
    func knownBrowser(_ login: String, _ request: Request, _ team: TeamID, _ browserContext: BrowserContext)
        async throws -> String?
    {
        let known = knownBrowsers(request, team, browserContext)
        // A login name that has not signed in in this browser costs no statement.
        guard let mark = known.mark(of: login), let person = try await passwords.holder(of: login, in: team) else {
            return nil
        }
        return mark == KnownBrowsers.mark(of: person) ? known.secret(of: login) : nil
    }

    private func knownBrowsers(_ request: Request, _ team: TeamID, _ browserContext: BrowserContext) -> KnownBrowsers {
        KnownBrowsers(
            request.cookies[KnownBrowsers.cookieName(site.cookies, of: team)], of: team,
            browser: browserContext.browser, formTokens: site.formTokens)
    }

    /// Renews the session token after another proof; nil if the session has ended.
    ///
    /// - Parameter factor: second factor that was proved; nil for the password.
    func stepUp(_ token: SessionToken, by factor: FactorKind?, in team: TeamID) async throws -> SetCookie? {
        try await sessions.stepUp(token, by: factor, in: team, at: server.clock()).map { cookie(for: $0, of: team) }
    }

    private func cookie(for token: SessionToken, of team: TeamID) -> SetCookie {
        site.cookies.cookie(site.cookies.session(of: team), token.text, maxAge: Self.cookieLife)
    }
}
