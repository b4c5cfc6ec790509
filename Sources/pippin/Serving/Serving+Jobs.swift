import AuthEngine
import Domain
import Jobs
import Mail
import Templates
import Web

extension Serving {
    /// What a worker of this process can do.
    ///
    /// - Throws: `CommandFailure`, when the template of mails does not fit.
    func handlers(on worker: Worker, _ site: Site) throws(CommandFailure) -> JobHandlers {
        var handlers = JobHandlers()
        try courier(worker, site).register(with: &handlers)
        return handlers
    }

    private func courier(_ worker: Worker, _ site: Site) throws(CommandFailure) -> MailCourier {
        do {
            return MailCourier(
                settings.mail,
                client: worker.outgoing.house,
                writer: try LetterWriter(site.pages),
                mailbox: MailboxStore(TeamDatabase(worker.app)),
                keyRing: context.keyRing
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }
}
