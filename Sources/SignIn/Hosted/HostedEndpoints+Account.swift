import AuthEngine
import Bytes
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
        let visitor = try await visitor(request, team)
        let query = try request.query()
        let language = request.language(asked: query["ui_locales"])
        let id = try await flow.begin(
            next: LocalPath(query["next"])?.text,
            browserHash: visitor.browserHash,
            language: language.tag,
            in: teamID
        )
        var response: Response
        if !team.hasDirectory, let context = try await context(of: id, request, team, visitor) {
            response = try await leaveForApple(context)
        } else {
            let start = SignInStart(team: team, client: nil, attempt: id, language: language)
            response = pages.respond(signInPage(start, visitor, email: nil))
        }
        if visitor.isNewBrowser { response.set(site.browserCookie(visitor.browser)) }
        return response
    }
}
