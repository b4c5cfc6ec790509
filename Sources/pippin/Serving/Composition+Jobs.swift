import Domain
import Jobs
import Mail
import Operations
import Templates
import Web

extension Composition {
    /// Handlers of the jobs that this process runs.
    ///
    /// - Throws: `CommandFailure` if the template of emails does not match its view.
    func handlers(on services: LoopServices, _ site: Site) throws(CommandFailure) -> JobHandlers {
        var handlers = JobHandlers()
        try mailSender(services, site).register(with: &handlers)
        return handlers
    }

    private func mailSender(_ services: LoopServices, _ site: Site) throws(CommandFailure) -> MailSender {
        do {
            return MailSender(
                settings.mail, client: services.outgoing.installation, writer: try EmailRenderer(site.pages),
                mailbox: MailboxStore(services.database), keyRing: server.keyRing)
        } catch { throw CommandFailure(error.all.map(\.description)) }
    }
}
