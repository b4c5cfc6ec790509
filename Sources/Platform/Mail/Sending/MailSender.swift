public import Core
public import Crypto
public import HTTP

/// Sends queued emails over SMTP, or stores them in the console's mailbox if no server is configured.
public struct MailSender: Sendable {
    /// SMTP server and sender of outgoing emails.
    public struct Route: Sendable {
        /// Nil if no SMTP server is configured.
        public let server: SMTPServer?
        /// Sender address, which also receives replies and bounces.
        public let sender: EmailAddress
        /// Host name that this client sends in `EHLO`.
        public let localName: String

        public init(server: SMTPServer?, sender: EmailAddress, localName: String) {
            self.server = server
            self.sender = sender
            self.localName = localName
        }
    }

    private let route: Route
    private let client: HTTPClient
    private let writer: EmailRenderer
    private let mailbox: MailboxStore
    private let sealer: Sealer
    private let clock: @Sendable () -> Timestamp

    public init(
        _ route: Route, client: HTTPClient, writer: EmailRenderer, mailbox: MailboxStore, keyRing: KeyRing,
        clock: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.route = route
        self.client = client
        self.writer = writer
        self.mailbox = mailbox
        sealer = MailQueue.sealer(keyRing)
        self.clock = clock
    }

    /// Registers the handler of `SendMail` jobs.
    public func register(with handlers: inout JobHandlers) {
        handlers.register(SendMail.self) { job, run in try await send(job, run) }
    }

    private func send(_ job: SendMail, _ run: JobRun) async throws -> JobOutcome {
        guard let mail = open(job, run) else { return .refused("the mail cannot be read") }
        if let until = mail.message.until, until < clock() { return .refused("its link works no more") }
        let written = writer.write(mail.message, from: mail.team, in: mail.language)
        guard let server = route.server else {
            try await mailbox.keep(mail, written, as: run.id, of: run.team)
            return .succeeded(["delivered": "mailbox"])
        }
        do throws(DeliveryFailure) {
            try await client.deliver(delivery(mail, written, run, through: server))
            return .succeeded(["delivered": "smtp"])
        } catch { return outcome(of: error) }
    }

    private func open(_ job: SendMail, _ run: JobRun) -> OutgoingMail? {
        guard let sealed = Base64URL.decode(job.sealed),
            let json = sealer.open(sealed, context: MailQueue.context(run.team, run.id))
        else { return nil }
        do throws(JSON.Failure) { return try JSON.decode(MailPayload.self, from: json).mail } catch { return nil }
    }

    private func delivery(
        _ mail: OutgoingMail, _ written: EmailRenderer.Written, _ run: JobRun, through server: SMTPServer
    ) -> SMTPDelivery {
        let message = MIMEMessage(
            id: run.id.rawValue, from: route.sender.rawValue, named: mail.team, to: mail.recipient.rawValue,
            subject: written.subject, text: written.text, html: written.html, at: clock())
        return SMTPDelivery(
            through: server, from: route.sender.rawValue, to: mail.recipient.rawValue,
            message.bytes(fields: [("Auto-Submitted", "auto-generated")]), as: route.localName)
    }

    /// Outcome of the job: only a final refusal ends it.
    ///
    /// Temporary failures are retried, and so are authentication failures: the operator can correct the password.
    private func outcome(of failure: DeliveryFailure) -> JobOutcome {
        switch failure {
        case .refused(let refusal) where refusal.isFinal: .refused("the mail server says \(refusal)")
        case .refused(let refusal): .failed("the mail server says \(refusal)")
        case .failed(let failure): .failed("\(failure)")
        }
    }
}
