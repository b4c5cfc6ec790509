import Core
import Directory
import HTTP
import OAuth

/// Request within a sign-in: the team, the interaction, and the browser that began it.
struct InteractionContext: Sendable {
    let request: Request
    let team: TeamSnapshot
    var interaction: Interaction
    let browserContext: BrowserContext

    /// App that the sign-in leads back to; nil if it leads to a page of this server.
    var client: Client? { interaction.app.flatMap { team.client($0.clientID) } }

    /// Session that replaces the first proof; for an app, not one that began at Apple, which asks again each time
    /// on its own sheet, and none if the team has no directory.
    var session: Session? {
        let isOfDirectory = team.hasDirectory && browserContext.session?.firstFactor != .apple
        return interaction.app == nil || isOfDirectory ? browserContext.session : nil
    }

    /// Language in which the sign-in began.
    var language: Language { request.language(asked: interaction.language) }

    /// Language tags of the sign-in, the most preferred first.
    var languageTags: String { interaction.language ?? request.languageTags() }
}
