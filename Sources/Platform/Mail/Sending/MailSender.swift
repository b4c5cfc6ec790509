public import Core
public import Crypto
public import HTTP
public import Postgres

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

/// Queue of outgoing emails: an email is sent only if the transaction that enqueues it commits.
///
///     try await mail.enqueue(
///         OutgoingMail(.verification(link: link, until: end), to: address, in: language, from: team.name),
///         in: team.id,
///         transaction
///     )
public struct MailQueue: Sendable {
    private let jobs: JobQueue
    private let sealer: Sealer

    public init(_ jobs: JobQueue, keyRing: KeyRing) {
        self.jobs = jobs
        sealer = Self.sealer(keyRing)
    }

    /// Enqueues an email in the caller's transaction, whose team setting must be `team`.
    ///
    /// - Parameter idempotencyKey: a second email with the same key is not enqueued; see `NewJob`.
    public func enqueue(
        _ mail: OutgoingMail, once idempotencyKey: String? = nil, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await jobs.enqueue(job(mail, once: idempotencyKey, in: team), in: team, transaction)
    }

    /// Does the work of `enqueue` in the caller's transaction without storing a job, so that a decoy takes as long.
    public func simulateCost(_ mail: OutgoingMail, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    { try await transaction.query(job(mail, in: team).insertion(in: team, when: "WHERE false")) }

    /// Enqueues an email and returns when it is committed.
    public func enqueue(_ mail: OutgoingMail, once idempotencyKey: String? = nil, in team: TeamID)
        async throws(PostgresFailure)
    { try await jobs.enqueue(job(mail, once: idempotencyKey, in: team), in: team) }

    /// Returns the job that sends the email, for a caller that puts its `insertion` into its own statement.
    ///
    /// The caller then calls `ring`.
    public func job(_ mail: OutgoingMail, once idempotencyKey: String? = nil, in team: TeamID) -> NewJob {
        let id = JobID(random: .system)
        let sealed = sealer.seal(JSON.encode(MailPayload(mail)), context: Self.context(team, id))
        return NewJob(
            SendMail(message: mail.message.name, sealed: Base64URL.encode(sealed)), id: id, once: idempotencyKey)
    }

    /// Wakes the job worker after the caller's own statement has enqueued an email.
    public func ring() { jobs.ring() }

    static func sealer(_ keyRing: KeyRing) -> Sealer { keyRing.sealer(purpose: "mail that waits") }

    static func context(_ team: TeamID, _ id: JobID) -> [String] { [team.rawValue, "jobs", id.rawValue, "payload"] }
}
