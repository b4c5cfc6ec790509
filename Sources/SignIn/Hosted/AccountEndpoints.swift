import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

/// A person's own pages at a team.
struct AccountEndpoints: Sendable {
    let pages: HostedPages
    let teams: TeamCache
    let sessions: SessionStore
    let context: EngineContext

    private var site: Site { pages.site }

    func mount(on router: inout Router) {
        router.get(TeamRoutes.account) { try await show($0, $1) }
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
}
