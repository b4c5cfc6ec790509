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
        let login = identity.login
        // Only a name that was typed makes the browser known to it. Read before the session begins, which takes no proofs
        // of what has changed since.
        var person: User?
        if !login.isEmpty { person = try await passwords.holder(of: login, in: team) }
        guard let token = try await sessions.begin(beginning, taking: proofs, in: team) else { return nil }
        guard let person, person.subject == identity.subject else { return [cookie(for: token, of: team)] }
        return [cookie(for: token, of: team), remember(login, of: person, request, team, visitor)]
    }

    /// The cookie that makes this browser known to a login name.
    ///
    /// - Parameter changes: how often this very request has changed what proves the person since they were read.
    func remember(
        _ login: String,
        of person: User,
        after changes: Int = 0,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) -> SetCookie {
        let mark = KnownBrowsers.mark(of: person, after: changes)
        return site.cookies.cookie(
            KnownBrowsers.cookieName(site.cookies, of: team),
            knownBrowsers(request, team, visitor).adding(login, mark: mark),
            maxAge: Self.knownBrowserLife
        )
    }

    /// Whether somebody has signed in under that login name in this browser before.
    func knows(_ login: String, _ request: Request, _ team: TeamID, _ visitor: Visitor) async throws -> Bool {
        try await knownBrowser(login, request, team, visitor) != nil
    }

    /// Names such a browser to the counters of that account; nil for any other, and where what proves the person has
    /// changed since.
    func knownBrowser(
        _ login: String,
        _ request: Request,
        _ team: TeamID,
        _ visitor: Visitor
    ) async throws -> String? {
        let known = knownBrowsers(request, team, visitor)
        // Whoever has never signed in here costs no statement.
        guard let mark = known.mark(of: login), let person = try await passwords.holder(of: login, in: team)
        else { return nil }
        return mark == KnownBrowsers.mark(of: person) ? known.secret(of: login) : nil
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
