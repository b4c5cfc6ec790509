import Bytes
import Crypto
import Directory
public import Domain
public import Jobs
import Postgres

/// Takes what a provider tells of its people, and does here what happened there.
///
/// Verified, written down and done in one transaction, so that a notice that was answered is neither lost nor done
/// twice. Nobody knows whether Apple tells anything a second time; so what cannot be verified for want of its keys is
/// kept, and verified later as of the moment it came.
public struct ProviderNotices: Sendable {
    /// Notices that one address may send in a minute without a proof that they are the provider's.
    static let unprovenLimit = 100
    private static let window = Duration.seconds(60)
    /// How often a kept one is tried whose key nobody has heard of.
    private static let attemptsAtKey = 3

    private let provider: any ProviderLifeCycle
    private let context: EngineContext
    private let database: TeamDatabase
    private let teams: TeamCache
    private let store: ProviderNoticeStore
    private let limits: LimitStore
    private let cascade: ProviderNoticeCascade

    public init(
        _ provider: any ProviderLifeCycle,
        context: EngineContext,
        database: TeamDatabase,
        teams: TeamCache
    ) {
        self.provider = provider
        self.context = context
        self.database = database
        self.teams = teams
        store = ProviderNoticeStore(database, context: context)
        limits = LimitStore(database)
        cascade = ProviderNoticeCascade(provider: provider.id, context: context, database: database)
    }

    /// What became of a notice that came.
    public enum Reception: Sendable {
        case done
        /// It came before.
        case known
        /// It waits to be verified.
        case kept
        /// It is not proved, and too many of the same address were not.
        case tooMany(retryAfter: Duration)

        /// As the log names it.
        public var name: String {
            switch self {
            case .done: "done"
            case .known: "known"
            case .kept: "kept"
            case .tooMany: "too-many"
            }
        }
    }

    /// Takes what was posted.
    ///
    /// What is proved is never too much: the provider may have a lot to tell.
    /// - Parameter address: whose it is, by which what is not proved is counted.
    /// - Throws: `ProviderFailure`: with the remedy `again` when it can neither be verified nor kept now, with another
    ///   for what is no notice of the provider's; `PostgresFailure`.
    public func receive(
        _ body: [UInt8],
        from address: String,
        in team: TeamSnapshot
    ) async throws -> Reception {
        let now = context.clock()
        let notice: ProviderNotice
        do throws(ProviderFailure) {
            notice = try await provider.notice(body, receivedAt: now, in: team)
        } catch {
            if let wait = try await chargeUnproven(from: address, in: team.id, at: now) {
                return .tooMany(retryAfter: wait)
            }
            guard error.remedy == .again, try await store.keep(body, in: team.id, at: now) else {
                throw error
            }
            return .kept
        }
        return try await apply(notice, in: team.id, at: now) ? .done : .known
    }

    /// Counts one that is not proved, for its address and its site.
    private func chargeUnproven(
        from address: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws -> Duration? {
        let site = LimitSubject.site("provider-notices", address)
        let counts =
            [(LimitSubject.address("provider-notices", address), Self.unprovenLimit)]
            + (site.map { [($0, 4 * Self.unprovenLimit)] } ?? [])
        for (subject, limit) in counts {
            let wait = try await limits.charge(subject, limit: limit, window: Self.window, in: team, at: now)
            if let wait { return wait }
        }
        return nil
    }

    /// Does what it says, once; false when it came before.
    private func apply(_ notice: ProviderNotice, in team: TeamID, at now: Timestamp) async throws -> Bool {
        try await database.transaction(in: team) { transaction in
            try await apply(notice, in: team, at: now, transaction)
        }
    }

    private func apply(
        _ notice: ProviderNotice,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        guard try await store.insert(notice, of: provider.id, in: team, at: now, transaction) else {
            return false
        }
        for event in notice.eventsByPerson {
            guard let identifier = event.identifier else { continue }
            // Who is nobody yet may be coming in: then that is ended first, or seen once it is done.
            var person = try await store.person(identifier, at: provider.id, in: team, transaction)
            if person == nil {
                try await endAnnouncement(event, of: identifier, notice, in: team, transaction)
                person = try await store.person(identifier, at: provider.id, in: team, transaction)
            }
            guard let person else {
                try await notePartedStranger(event, identifier, notice, in: team, at: now, transaction)
                continue
            }
            let change = ProviderNoticeCascade.Change(
                event: event,
                person: person,
                group: notice.group,
                team: team,
                now: now,
                appliedAt: context.clock()
            )
            try await cascade.apply(change, transaction)
            try await endAnnouncement(event, of: person.subject, notice, in: team, transaction)
        }
        return true
    }

    /// Nobody knows them yet, and an answer that waits may be about them.
    private func notePartedStranger(
        _ event: ProviderNotice.Event,
        _ identifier: Subject,
        _ notice: ProviderNotice,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let end = cascade.parting(event, of: identifier, for: notice.group, in: team, at: now)
        if let end { try await transaction.query(end) }
    }

    private func endAnnouncement(
        _ event: ProviderNotice.Event,
        of subject: Subject,
        _ notice: ProviderNotice,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let end = cascade.announcementEnd(event, of: subject, for: notice.group, in: team)
        if let end { try await transaction.query(end) }
    }
}

// What could not be verified at once.
extension ProviderNotices {
    /// Has a worker verify what was kept.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(ProviderNoticeJob.self) { job, run in try await verify(job, run) }
    }

    private func verify(_ job: ProviderNoticeJob, _ run: JobRun) async throws -> JobOutcome {
        guard let team = try await teams.snapshot(of: run.team) else {
            return .succeeded(["verdict": "no team"])
        }
        guard let body = store.open(job, in: run.team) else {
            return .failed("the notice cannot be opened")
        }
        let receivedAt = Timestamp(microseconds: job.receivedAt)
        let notice: ProviderNotice
        do throws(ProviderFailure) {
            notice = try await provider.notice(body, receivedAt: receivedAt, in: team)
        } catch {
            let isLast = error.cause == .providerKey && run.claim.attempt >= Self.attemptsAtKey
            return error.remedy == .again && !isLast
                ? .failed(error.reason) : .succeeded(["verdict": .string(error.reason)])
        }
        return try await database.transaction(in: run.team) { transaction in
            _ = try await apply(notice, in: run.team, at: receivedAt, transaction)
            return try await run.succeed(["verdict": "done"], transaction)
        }
    }
}
