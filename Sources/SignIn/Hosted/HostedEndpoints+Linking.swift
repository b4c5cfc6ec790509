import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Back from Apple, where somebody went from their own page to connect an account.
extension HostedEndpoints {
    /// Back to the person's page, or in words why nothing is connected.
    func answer(
        _ outcome: ProviderLinking.Outcome,
        retry: String,
        _ request: Request,
        _ team: TeamSnapshot
    ) -> Response {
        let home = TeamRoutes.account.link(team.id)
        switch outcome {
        case .connected: return goHome(.appleConnected, team)
        case .cancelled: return goHome(.appleCancelled, team)
        case .refused(.known): return goHome(.appleKnown, team)
        case .refused(.taken):
            let message = Phrase("hosted.apple.taken.message", ["team": team.name])
            return say(Phrase("hosted.apple.taken.headline"), message, request, team)
        case .refused(.another):
            let message = Phrase("hosted.apple.another.message")
            return say(Phrase("hosted.apple.another.headline"), message, request, team)
        case .refused(.over), .foreign:
            let message = Phrase("hosted.apple.foreign.message")
            return say(Phrase("hosted.apple.foreign.headline"), message, request, team)
        case .failed(let failure): return tell(failure, retry: retry, anew: home, request, team)
        }
    }

    /// Nothing is connected.
    private func say(
        _ headline: Phrase,
        _ message: Phrase,
        _ request: Request,
        _ team: TeamSnapshot
    ) -> Response {
        let page = MessagePage(
            frame: pages.frame(headline, of: team, in: request.language),
            message: message.asWords,
            next: (TeamRoutes.account.link(team.id), Phrase("hosted.factors.prove.back").asWords)
        )
        return pages.respond(page, status: .conflict)
    }

    private func goHome(_ change: AccountChange, _ team: TeamSnapshot) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(team.id))
        response.set(change.cookie(site.cookies, of: team.id))
        return response
    }
}
