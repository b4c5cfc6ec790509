import Core
import Federation
import HTTP
import OAuth

// Return from Apple after a user began to link an account on the account page.
extension FederationStep {
    /// Redirects to the account page, or explains why no account was linked.
    func answer(_ outcome: FederatedLinking.Outcome, retry: String, _ request: Request, _ team: TeamSnapshot)
        -> Response
    {
        let home = TeamRoutes.account.link(team.id)
        switch outcome {
        case .connected: return goHome(.appleConnected, team)
        case .cancelled: return goHome(.appleCancelled, team)
        case .refused(.known): return goHome(.appleKnown, team)
        case .refused(.taken):
            let message = Message("hosted.apple.taken.message", ["team": team.name])
            return say(Message("hosted.apple.taken.headline"), message, request, team)
        case .refused(.another):
            let message = Message("hosted.apple.another.message")
            return say(Message("hosted.apple.another.headline"), message, request, team)
        case .refused(.expired), .foreign:
            let message = Message("hosted.apple.foreign.message")
            return say(Message("hosted.apple.foreign.headline"), message, request, team)
        case .failed(let failure): return explain(failure, retry: retry, anew: home, request, team)
        }
    }

    /// Page that explains why no account was linked.
    private func say(_ headline: Message, _ message: Message, _ request: Request, _ team: TeamSnapshot) -> Response {
        let page = MessagePage(
            frame: steps.pages.frame(headline, of: team, in: request.language), message: message.localizedText,
            next: (TeamRoutes.account.link(team.id), Message("hosted.factors.prove.back").localizedText))
        return steps.pages.respond(page, status: .conflict)
    }

    private func goHome(_ change: AccountChange, _ team: TeamSnapshot) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(team.id))
        response.set(change.cookie(steps.site.cookies, of: team.id))
        return response
    }
}
