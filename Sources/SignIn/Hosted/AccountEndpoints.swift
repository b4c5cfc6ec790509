import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

/// A person's own pages at a team, and signing in there without an app: the console's people come this way too.
struct AccountEndpoints: Sendable {
    let pages: HostedPages
    let teams: TeamCache
    let door: SessionDoor
    let sessions: SessionStore
    let context: EngineContext

    private var site: Site { pages.site }

    func mount(on router: inout Router) {
        router.get(TeamRoutes.account) { try await show($0, $1) }
        router.get(TeamRoutes.session) { try await askPassword($0, $1) }
        router.post(TeamRoutes.session, .form) { try await signIn($0, $1) }
        router.post(TeamRoutes.sessionEnd, .form) { try await signOut($0, $1) }
    }

    private func show(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        guard let session = visitor.session else {
            return .redirect(to: TeamRoutes.session.link(teamID))
        }
        return pages.respond(
            AccountPage(
                frame: pages.frame("Your account", of: team),
                person: PersonView(name: session.user.name.full, email: session.user.email?.rawValue),
                formToken: site.formTokens.token(for: visitor.browser),
                signOutURL: TeamRoutes.sessionEnd.link(teamID)
            )
        )
    }

    private func askPassword(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        let next = LocalPath(try request.query()["next"])
        var response = pages.respond(page(team, visitor, next))
        if visitor.isNewBrowser { response.set(site.browserCookie(visitor.browser)) }
        return response
    }

    private func signIn(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        let form = try form(of: request, visitor)
        let next = LocalPath(try request.query()["next"])
        switch try await door.enter(form, request, teamID, visitor) {
        case .refused(let refusal):
            var page = page(team, visitor, next)
            page.email = form["email"] ?? ""
            page.error = refusal.words
            var response = pages.respond(page, status: refusal.status)
            if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
            return response
        case .entered(let cookies):
            let home = teamID == .system ? "/console" : TeamRoutes.account.link(teamID)
            var response = Response.redirect(to: next?.text ?? home)
            for cookie in cookies { response.set(cookie) }
            return response
        }
    }

    private func signOut(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        _ = try form(of: request, visitor)
        if let session = visitor.session {
            let subject = session.user.subject
            try await sessions.end(
                session.id,
                of: subject,
                in: teamID,
                by: teamID == .system ? .member(subject) : .person(subject),
                from: request.auditOrigin
            )
        }
        let page = SignedOutPage(
            frame: pages.frame("Signed out", of: team),
            signInURL: teamID == .system ? "/console" : TeamRoutes.session.link(teamID)
        )
        var response = pages.respond(page)
        response.set(site.cookies.forgotten(site.cookies.session(of: teamID)))
        return response
    }

    private func arrive(_ request: Request, _ teamID: TeamID) async throws -> (TeamSnapshot, Visitor) {
        guard let team = try await teams.snapshot(of: teamID) else { throw Problem.notFound }
        let visitor = try await Visitor.read(
            request,
            team: teamID,
            cookies: site.cookies,
            sessions: sessions,
            context: context
        )
        return (team, visitor)
    }

    private func form(of request: Request, _ visitor: Visitor) throws(Problem) -> Form {
        try site.form(of: request, from: visitor.browser)
    }

    private func page(_ team: TeamSnapshot, _ visitor: Visitor, _ next: LocalPath?) -> SignInPage {
        let name = team.id == .system ? "the Pippin console" : "your account"
        let link = TeamRoutes.session.link(team.id)
        return SignInPage(
            frame: pages.frame("Sign in", of: team),
            appName: name,
            action: next.map { "\(link)?next=\(PercentCoding.encode($0.text))" } ?? link,
            formToken: site.formTokens.token(for: visitor.browser),
            isCancellable: false
        )
    }
}

/// A path of this site to go on to; anything that could lead elsewhere is none.
struct LocalPath: Sendable {
    let text: String

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 1024, text.hasPrefix("/"), !text.hasPrefix("//"),
            !text.contains("\\"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
    }
}
