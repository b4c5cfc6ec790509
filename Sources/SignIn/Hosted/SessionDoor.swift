import AuthEngine
import Crypto
import Directory
import Domain
import HTTP
import Web

/// Where proofs become a session: the one door of sign-ins, the account page and the console.
struct SessionDoor: Sendable {
    /// How long the browser keeps the cookie; the session itself may end sooner.
    private static let cookieLife = Duration.seconds(30 * 86_400)
    private static let knownBrowserLife = Duration.seconds(365 * 86_400)

    let site: Site
    let passwords: PasswordSignIn
    let sessions: SessionStore
    let context: EngineContext

    /// Compares a form with `email` and `password`; makes no session of it.
    func authenticate(
        _ form: Form,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) async throws -> SignInResult {
        let login = form["email"] ?? ""
        return try await passwords.authenticate(
            login: login,
            password: form["password"] ?? "",
            in: team,
            from: request.auditOrigin,
            knownBrowser: knownBrowser(login, request, team, visitor),
            at: context.clock()
        )
    }

    /// Begins a session under a new name, for the proofs that `SignInFlow.enter` gives out.
    ///
    /// - Returns: the cookies that make the browser its holder; nil where the proofs are taken.
    func enter(
        _ identity: AttemptProgress.Identity,
        second: Proof?,
        to app: ClientID?,
        taking proofs: SessionStore.Proofs,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) async throws -> [SetCookie]? {
        let beginning = SessionStore.Beginning(
            of: identity.subject,
            by: [identity.proof.method, second?.method].compactMap { $0 },
            to: app,
            from: request.auditOrigin,
            replacing: visitor.sessionToken,
            at: context.clock()
        )
        guard let token = try await sessions.begin(beginning, taking: proofs, in: team) else { return nil }
        // Only a name that was typed makes the browser known to it.
        guard !identity.login.isEmpty else { return [cookie(for: token, of: team)] }
        let known = knownBrowsers(request, team, visitor)
        return [
            cookie(for: token, of: team),
            site.cookies.cookie(
                KnownBrowsers.cookieName(site.cookies, of: team),
                known.adding(identity.login),
                maxAge: Self.knownBrowserLife
            ),
        ]
    }

    /// Whether somebody has signed in under that login name in this browser before.
    func knows(_ login: String, _ request: Request, _ team: TeamID, _ visitor: Visitor) -> Bool {
        knownBrowser(login, request, team, visitor) != nil
    }

    /// Names such a browser to the counters of that account; nil for any other.
    func knownBrowser(_ login: String, _ request: Request, _ team: TeamID, _ visitor: Visitor) -> String? {
        let known = knownBrowsers(request, team, visitor)
        return known.contains(login) ? known.secret(of: login) : nil
    }

    private func knownBrowsers(_ request: Request, _ team: TeamID, _ visitor: Visitor) -> KnownBrowsers {
        KnownBrowsers(
            request.cookies[KnownBrowsers.cookieName(site.cookies, of: team)],
            of: team,
            browser: visitor.browser,
            formTokens: site.formTokens
        )
    }

    /// Gives a session a new name after one more proof; nil when it has ended meanwhile.
    ///
    /// - Parameter factor: the second factor that was given; nil for the password once more.
    func raise(_ token: SessionToken, by factor: FactorKind?, in team: TeamID) async throws -> SetCookie? {
        try await sessions.raise(token, by: factor, in: team, at: context.clock())
            .map { cookie(for: $0, of: team) }
    }

    private func cookie(for token: SessionToken, of team: TeamID) -> SetCookie {
        site.cookies.cookie(site.cookies.session(of: team), token.text, maxAge: Self.cookieLife)
    }
}
