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
        let query = try request.query()
        let next = LocalPath(query["next"])?.text
        try await admit(request, teamID, keeping: next?.utf8.count ?? 0)
        let visitor = try await visitor(request, team)
        let attempt = flow.open(
            next: next,
            language: request.language(asked: query["ui_locales"]).tag
        )
        return try await begin(
            Context(request: request, team: team, attempt: attempt, client: nil, visitor: visitor)
        )
    }
}
