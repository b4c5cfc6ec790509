import Core
import Directory
import HTTP
import OAuth
import Platform

// Sign-ins that lead to a page of this server instead of an app, as for users of the console.
extension HostedEndpoints {
    /// Begins a sign-in that leads to `next`, or to the account page.
    func beginAccount(_ request: Request, _ teamID: TeamID) async throws -> Response {
        guard let team = try await steps.teams.snapshot(of: teamID) else { throw UserFacingError.notFound }
        let query = try request.query()
        let next = LocalPath(query["next"])?.text
        try await steps.admit(request, teamID)
        let browserContext = try await steps.browserContext(request, team)
        let interaction = steps.interactions.open(
            next: next, language: request.languageTags(asked: query["ui_locales"]))
        return try await begin(
            InteractionContext(request: request, team: team, interaction: interaction, browserContext: browserContext))
    }
}
