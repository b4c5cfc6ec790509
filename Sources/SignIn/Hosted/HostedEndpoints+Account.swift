import AuthEngine
import Directory
import Domain
import HTTP
import Web

// Signing in without an app, to a page of ours: the console's people come this way.
extension HostedEndpoints {
    /// Begins a sign-in that leads to `next`, or to the person's own page.
    func beginAccount(_ request: Request, _ teamID: TeamID) async throws -> Response {
        guard let team = try await teams.snapshot(of: teamID) else { throw Problem.notFound }
        try await admit(request, teamID)
        let visitor = try await visitor(request, teamID)
        let next = LocalPath(try request.query()["next"])
        let id = try await flow.begin(next: next?.text, browserHash: visitor.browserHash, in: teamID)
        var response = pages.respond(signInPage(team, nil, id, visitor, email: nil))
        if visitor.isNewBrowser { response.set(site.browserCookie(visitor.browser)) }
        return response
    }
}
