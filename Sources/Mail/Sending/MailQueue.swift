import Bytes
public import Crypto
public import Domain
public import Jobs
public import Postgres

/// Where mail is put: it is sent if the transaction that puts it there commits, and only then.
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

    /// Enqueues a mail in the caller's transaction, which must be under the team's setting.
    ///
    /// - Parameter idempotenceKey: one mail a key; see `NewJob`.
    public func enqueue(
        _ mail: OutgoingMail,
        once idempotenceKey: String? = nil,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await jobs.enqueue(job(mail, once: idempotenceKey, in: team), in: team, transaction)
    }

    /// Does for a mail that nobody is to get what enqueueing one takes, in the caller's transaction, and keeps none.
    public func pretend(
        _ mail: OutgoingMail,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(job(mail, in: team).insertion(in: team, when: "WHERE false"))
    }

    /// Enqueues a mail, committed when this returns.
    public func enqueue(
        _ mail: OutgoingMail,
        once idempotenceKey: String? = nil,
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await jobs.enqueue(job(mail, once: idempotenceKey, in: team), in: team)
    }

    /// The job that sends the mail, for those who splice its `insertion` into a statement of their own; they ring the
    /// bell with `ring`.
    public func job(_ mail: OutgoingMail, once idempotenceKey: String? = nil, in team: TeamID) -> NewJob {
        let id = JobID(random: .system)
        let sealed = sealer.seal(JSON.encode(MailPayload(mail)), context: Self.context(team, id))
        return NewJob(
            SendMail(letter: mail.letter.name, sealed: Base64URL.encode(sealed)),
            id: id,
            once: idempotenceKey
        )
    }

    /// Says that mail was enqueued by a statement of the caller's own.
    public func ring() {
        jobs.ring()
    }

    static func sealer(_ keyRing: KeyRing) -> Sealer { keyRing.sealer(purpose: "mail that waits") }

    static func context(_ team: TeamID, _ id: JobID) -> [String] {
        [team.rawValue, "jobs", id.rawValue, "payload"]
    }
}
