import Core
import Directory
import HTTP
import OAuth

/// Forgotten passwords: the mail with a link to a new password or to one sign-in.
struct RecoveryStep: Sendable {
    let steps: InteractionSteps
    let recovery: PasswordRecovery

    func ask(_ context: InteractionContext) -> Response {
        var page = recoveryPage(context)
        page.email = context.interaction.app?.loginHint ?? ""
        return steps.pages.respond(page)
    }

    /// Mails a link to choose a new password or to sign in once; the response is the same if there is no such account.
    func recover(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        try await steps.admit(context.request, context.team.id)
        var page = recoveryPage(context)
        page.email = form["email"] ?? ""
        try await recovery.begin(
            page.email, for: form["help"] == "link" ? .signInLink : .newPassword,
            interaction: context.interaction.id.rawValue, browserHash: context.browserContext.browserHash,
            knownBrowser: steps.sessionIssuer.knownBrowser(
                page.email, context.request, context.team.id, context.browserContext), steps.caller(context))
        return steps.pages.respond(steps.mailSent(to: page.email, context))
    }

    private func recoveryPage(_ context: InteractionContext) -> RecoveryPage {
        RecoveryPage(
            frame: steps.pages.frame(Message("hosted.recovery.title"), of: context.team, in: context.language),
            action: TeamRoutes.recovery.link(context.team.id, context.interaction.id),
            formToken: steps.site.formTokens.token(for: context.browserContext.browser),
            backURL: TeamRoutes.interaction.link(context.team.id, context.interaction.id))
    }
}
