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
        let known = KnownBrowser(team, login: login, browser: visitor.browser)
        let isKnown = site.formTokens.isValid(
            request.cookies[known.cookieName(site.cookies)],
            for: known.secret
        )
        return try await passwords.authenticate(
            login: login,
            password: form["password"] ?? "",
            in: team,
            from: request.auditOrigin,
            knownBrowser: isKnown ? known.secret : nil,
            at: context.clock()
        )
    }

    /// Begins a session under a new name, for proofs that `SignInFlow.enter` has given out.
    ///
    /// - Returns: the cookies that make the browser its holder.
    func enter(
        _ identity: AttemptProgress.Identity,
        second: Proof?,
        to app: ClientID?,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) async throws -> [SetCookie] {
        let token = try await sessions.begin(
            for: identity.subject,
            first: identity.proof.method,
            second: second?.method,
            to: app,
            in: team,
            from: request.auditOrigin,
            replacing: visitor.sessionToken,
            at: context.clock()
        )
        let known = KnownBrowser(team, login: identity.login, browser: visitor.browser)
        return [
            site.cookies.cookie(site.cookies.session(of: team), token.text, maxAge: Self.cookieLife),
            site.cookies.cookie(
                known.cookieName(site.cookies),
                site.formTokens.token(for: known.secret),
                maxAge: Self.knownBrowserLife
            ),
        ]
    }
}
