import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry

// Mails to the user of an interaction.
extension InteractionSteps {
    func caller(_ context: InteractionContext) -> AccountCaller {
        AccountCaller(
            team: context.team.id, language: context.language, origin: context.request.auditOrigin, now: server.clock())
    }

    /// Confirms that a mail was requested; shows only in sandbox teams that the server sends none.
    func mailSent(to email: String, _ context: InteractionContext) -> MessagePage {
        .mailSent(
            to: email, isKept: context.team.isSandbox && !server.sendsMail,
            pages.frame(Message("hosted.mail.sent-title"), of: context.team, in: context.language),
            next: (
                TeamRoutes.interaction.link(context.team.id, context.interaction.id),
                Message("hosted.mail.back").localizedText
            ))
    }
}

extension TeamSnapshot {
    /// - Throws: `UserFacingError.notFound` unless everybody may register.
    func requireOpenRegistration() throws(UserFacingError) { guard registration == .open else { throw .notFound } }
}
