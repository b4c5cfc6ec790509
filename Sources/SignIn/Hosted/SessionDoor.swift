import AuthEngine
import Crypto
import Directory
import Domain
import HTTP
import Web

/// Where a password becomes a session: the one door of sign-ins, the account page and the console.
struct SessionDoor: Sendable {
    /// How long the browser keeps the cookie; the session itself may end sooner.
    private static let cookieLife = Duration.seconds(30 * 86_400)
    private static let knownBrowserLife = Duration.seconds(365 * 86_400)

    let site: Site
    let passwords: PasswordSignIn
    let sessions: SessionStore
    let context: EngineContext

    /// What came of a form with `email` and `password`.
    enum Outcome: Sendable {
        case refused(SignInRefusal)
        /// The cookies that make the browser the holder of a new session.
        case entered([SetCookie])
    }

    func enter(
        _ form: Form,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) async throws -> Outcome {
        let login = form["email"] ?? ""
        let known = KnownBrowser(team, login: login, browser: visitor.browser)
        let name = known.cookieName(site.cookies)
        let isKnown = site.formTokens.isValid(request.cookies[name], for: known.secret)
        let result = try await passwords.authenticate(
            login: login,
            password: form["password"] ?? "",
            in: team,
            from: request.auditOrigin,
            knownBrowser: isKnown ? known.secret : nil,
            at: context.clock()
        )
        guard case .success(let user) = result else { return .refused(SignInRefusal(result)) }
        let token = try await sessions.begin(
            for: user.subject,
            in: team,
            from: request.auditOrigin,
            replacing: visitor.sessionToken,
            at: context.clock()
        )
        return .entered([
            site.cookies.cookie(site.cookies.session(of: team), token.text, maxAge: Self.cookieLife),
            site.cookies.cookie(
                name,
                site.formTokens.token(for: known.secret),
                maxAge: Self.knownBrowserLife
            ),
        ])
    }
}
