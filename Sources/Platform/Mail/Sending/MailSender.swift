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

    public let route: Route
    public let client: MailClient
    private let writer: EmailRenderer
    private let mailbox: MailboxStore
    private let sealer: Sealer
    private let clock: @Sendable () -> Timestamp

    public init(
        _ route: Route, client: MailClient, writer: EmailRenderer, mailbox: MailboxStore, keyRing: KeyRing,
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
        guard let mail = open(job, run) else { throw UnreadableJob("the mail cannot be read") }
        if let until = mail.message.until, until < clock() { return .refused("its link works no more") }
        let written = writer.write(mail.message, from: mail.team, in: mail.language)
        guard let server = route.server else {
            try await mailbox.keep(mail, written, as: run.id, of: run.team)
            return .succeeded(["delivered": "mailbox"])
        }
        do throws(DeliveryFailure) {
            try await client.deliver(delivery(mail, written, run.id, through: server), for: run.team.rawValue)
            return .succeeded(["delivered": "smtp"])
        } catch { return outcome(of: error) }
    }

    /// Sends a mail at once instead of by a job, so that an operator reads what the mail server says.
    ///
    /// - Returns: false if no mail server is configured.
    public func sendNow(_ mail: OutgoingMail, within deadline: Duration) async throws(DeliveryFailure) -> Bool {
        guard let server = route.server else { return false }
        let written = writer.write(mail.message, from: mail.team, in: mail.language)
        var delivery = delivery(mail, written, JobID(random: .system), through: server)
        (delivery.deadline, delivery.wantsText) = (deadline, true)
        try await client.deliver(delivery, for: "")
        return true
    }

    private func open(_ job: SendMail, _ run: JobRun) -> OutgoingMail? {
        guard let sealed = Base64URL.decode(job.sealed),
            let json = sealer.open(sealed, context: MailQueue.context(run.team, run.id))
        else { return nil }
        do throws(JSON.Failure) { return try JSON.decode(MailPayload.self, from: json).mail } catch { return nil }
    }

    private func delivery(
        _ mail: OutgoingMail, _ written: EmailRenderer.Written, _ id: JobID, through server: SMTPServer
    ) -> SMTPDelivery {
        let message = MIMEMessage(
            id: id.rawValue, from: route.sender.rawValue, named: mail.team, to: mail.recipient.rawValue,
            subject: written.subject, text: written.text, html: written.html, at: clock())
        return SMTPDelivery(
            through: server, from: route.sender.rawValue, to: mail.recipient.rawValue,
            message.bytes(fields: [("Auto-Submitted", "auto-generated")]), as: route.localName)
    }

    /// Outcome of the job: only a recipient who does not exist ends it, and that this is a copy, whose users are the
    /// original's.
    ///
    /// Everything else concerns the installation, and the operator can correct it before the link ends.
    private func outcome(of failure: DeliveryFailure) -> JobOutcome {
        if case .refused(let refusal) = failure, refusal.isFinal { return .refused(failure.problem) }
        if failure == .failed(.copy) { return .refused(failure.problem) }
        return .failed(failure.problem)
    }
}

extension DeliveryFailure {
    /// Text for operators, in the job and in the log.
    var problem: String {
        switch self {
        case .refused(let refusal): "the mail server says \(refusal)"
        case .notEncrypted: "the mail server does not offer STARTTLS, and a password is not sent without encryption"
        case .noLogin: "the mail server offers no known way to log in"
        case .failed(.untrusted(.other, let reason)): "the encrypted connection failed: \(reason)"
        case .failed(.untrusted(_, let reason)):
            "the mail server's certificate is not trusted (\(reason)); --smtp-ca FILE names its authority"
        case .busy: "too many mails wait"
        case .failed(let failure): "\(describing: failure)"
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
