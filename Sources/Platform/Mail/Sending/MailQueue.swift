import Core
public import Crypto
public import Postgres

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
    /// - Parameter idempotenceKey: a second email with the same key is not enqueued; see `NewJob`.
    public func enqueue(
        _ mail: OutgoingMail, once idempotenceKey: String? = nil, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await jobs.enqueue(job(mail, once: idempotenceKey, in: team), in: team, transaction)
    }

    /// Does the work of `enqueue` in the caller's transaction without storing a job, so that a decoy takes as long.
    public func simulateCost(_ mail: OutgoingMail, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    { try await transaction.query(job(mail, in: team).insertion(in: team, when: "WHERE false")) }

    /// Enqueues an email and returns when it is committed.
    public func enqueue(_ mail: OutgoingMail, once idempotenceKey: String? = nil, in team: TeamID)
        async throws(PostgresFailure)
    { try await jobs.enqueue(job(mail, once: idempotenceKey, in: team), in: team) }

    /// Returns the job that sends the email, for a caller that puts its `insertion` into its own statement.
    ///
    /// The caller then calls `ring`.
    public func job(_ mail: OutgoingMail, once idempotenceKey: String? = nil, in team: TeamID) -> NewJob {
        let id = JobID(random: .system)
        let sealed = sealer.seal(JSON.encode(MailPayload(mail)), context: Self.context(team, id))
        return NewJob(
            SendMail(message: mail.message.name, sealed: Base64URL.encode(sealed)), id: id, once: idempotenceKey)
    }

    /// Wakes the job worker after the caller's own statement has enqueued an email.
    public func ring() { jobs.ring() }

    static func sealer(_ keyRing: KeyRing) -> Sealer { keyRing.sealer(purpose: "mail that waits") }

    static func context(_ team: TeamID, _ id: JobID) -> [String] { [team.rawValue, "jobs", id.rawValue, "payload"] }
}
