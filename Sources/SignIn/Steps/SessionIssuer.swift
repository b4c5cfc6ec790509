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
    func authenticate(_ form: Form, _ visit: Visit) async throws -> SignInResult {
        let login = form["email"] ?? ""
        return try await passwords.authenticate(
            login: login, password: form["password"] ?? "", in: visit.team.id, from: visit.origin,
            knownBrowser: knownBrowser(login, visit), at: server.clock())
    }

    /// Creates a session with a new token, from the proofs that `Interactions.enter` provides.
    ///
    /// - Returns: cookies of the session for the browser; nil if the proofs have been used.
    func enter(
        _ identity: InteractionProgress.Identity, second: Proof?, as user: User, to app: ClientID?,
        taking proofs: SessionStore.Proofs, _ visit: Visit
    ) async throws -> [SetCookie]? {
        let team = visit.team.id
        let beginning = SessionStore.Beginning(
            of: identity.subject, by: [identity.proof.method, second?.method].compactMap { $0 }, to: app,
            from: visit.origin, replacing: visit.sessionToken, at: server.clock())
        guard let token = try await sessions.begin(beginning, taking: proofs, in: team) else { return nil }
        let session = cookie(for: token, of: team)
        // Only a typed login name makes the browser known to it.
        return identity.login.isEmpty ? [session] : [session, remember(identity.login, of: user, visit)]
    }

    /// Cookie that makes this browser known to a login name.
    ///
    /// - Parameter changes: number of changes to the user's credentials by this request since the user was read.
    func remember(_ login: String, of person: User, after changes: Int = 0, _ visit: Visit) -> SetCookie {
        let mark = KnownBrowsers.mark(of: person, after: changes)
        return site.cookies.cookie(
            KnownBrowsers.cookieName(site.cookies, of: visit.team.id), knownBrowsers(visit).adding(login, mark: mark),
            maxAge: Self.knownBrowserLife)
    }

    /// Identifies to the counters of an account a browser in which the login name has signed in before; nil for any
    /// other.
    ///
    /// The ID is that of a user whose credentials are still the same; of any other it is nil.
    func knownBrowser(_ login: String, _ visit: Visit) -> KnownBrowser? {
        let known = knownBrowsers(visit)
        guard let mark = known.mark(of: login) else { return nil }
        return { mark == KnownBrowsers.mark(of: $0) ? known.secret(of: login) : nil }
    }

    private func knownBrowsers(_ visit: Visit) -> KnownBrowsers {
        let team = visit.team.id
        return KnownBrowsers(
            visit.request.cookies[KnownBrowsers.cookieName(site.cookies, of: team)], of: team, browser: visit.browser,
            formTokens: site.formTokens)
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
