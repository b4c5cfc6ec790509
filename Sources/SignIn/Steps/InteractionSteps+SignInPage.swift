import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry

// The first page of a sign-in.
extension InteractionSteps {
    func signInPage(_ context: InteractionContext) -> SignInPage {
        let (team, interaction, title) = (context.team, context.interaction.id, context.signInTitle)
        return SignInPage(
            frame: pages.frame(title, of: team, in: context.language), title: title.localizedText,
            action: TeamRoutes.password.link(team.id, interaction),
            formToken: site.formTokens.token(for: context.browserContext.browser),
            email: context.interaction.app?.loginHint ?? "", passkey: passkeyForm(context),
            isCancellable: context.client != nil, recoveryURL: TeamRoutes.recovery.link(team.id, interaction),
            appleURL: context.offersApple ? TeamRoutes.apple.link(team.id, interaction) : nil,
            registrationURL: team.registration == .open ? TeamRoutes.registration.link(team.id, interaction) : nil)
    }

    /// Passkey button beside the password; nil if the team uses no second factors or the server cannot use passkeys.
    func passkeyForm(_ context: InteractionContext) -> PasskeyFormView? {
        guard let passkeys = factors.passkeys, context.team.secondFactor != .off else { return nil }
        let options = RequestOptions(
            party: passkeys.party,
            challenge: passkeys.challenges.make(
                .signIn, browser: context.browserContext.browser, in: context.team.id, at: server.clock()), allowed: [],
            requiresUserVerification: true)
        return PasskeyFormView(
            kind: .get, action: TeamRoutes.interactionPasskey.link(context.team.id, context.interaction.id),
            formToken: site.formTokens.token(for: context.browserContext.browser), options: options.json,
            label: Message("hosted.factors.passkey.sign-in").localizedText, isConditional: true, isQuiet: true)
    }
}

extension InteractionContext {
    /// Whether the app is registered at Apple; for a page of this server, whether any app of the team is.
    fileprivate var offersApple: Bool { team.offersApple(to: client?.primaryAppID) }

    fileprivate var signInTitle: Message {
        if let client { return Message("hosted.sign-in.to-app", ["app": client.name]) }
        return team.id == .system ? Message("hosted.sign-in.to-console") : Message("hosted.sign-in.to-account")
    }
}
