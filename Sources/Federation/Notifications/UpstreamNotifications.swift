public import Core
public import OAuth
public import Platform
import Postgres

/// Processes the server-to-server notifications that a provider sends about its users.
///
/// A notification is verified, stored and applied in one transaction, so that an acknowledged one is neither lost nor
/// applied twice. Whether Apple repeats a notification is unknown, so one that cannot be verified because Apple's keys
/// are unavailable is stored, and verified later as of the moment it arrived.
public struct UpstreamNotifications: Sendable {
    /// Maximum number of attempts to verify a stored notification whose key is unknown.
    private static let attemptsAtKey = 3

    private let provider: any UpstreamTokenService
    private let server: ServerContext
    private let database: TeamDatabase
    private let teams: TeamCache
    private let store: UpstreamNotificationStore
    private let cascade: UpstreamNotificationEffects

    /// - Parameter accounts: the accounts that a notification may end.
    public init(
        _ provider: any UpstreamTokenService, server: ServerContext, database: TeamDatabase, teams: TeamCache,
        accounts: any UpstreamAccounts
    ) {
        self.provider = provider
        self.server = server
        self.database = database
        self.teams = teams
        store = UpstreamNotificationStore(database, server: server)
        cascade = UpstreamNotificationEffects(
            provider: provider.id, server: server, database: database, accounts: accounts)
    }

    /// Result of receiving a notification, named as in the log.
    public enum Outcome: String, Sendable {
        case done
        /// It was received before.
        case known
        /// It is stored, to be verified later.
        case kept
    }

    /// Receives a posted notification.
    ///
    /// Verified notifications are not limited, because the provider may have many to send.
    /// - Parameter address: the client's IP address, by which unverified notifications are counted.
    /// - Throws: `TooManyRequests`; `UpstreamFailure`: with the remedy `again` if it can neither be verified nor stored
    ///   now, with another if it is not a notification of the provider; `PostgresFailure`.
    public func receive(_ body: [UInt8], from address: String, in team: TeamSnapshot) async throws -> Outcome {
        let now = server.clock()
        let notification: UpstreamNotification
        do throws(UpstreamFailure) {
            notification = try await provider.notification(body, receivedAt: now, in: team)
        } catch {
            try await database.count(
                [RateLimit.Use(.unauthenticatedWrites, by: .network(address))], in: team.id, at: now)
            guard error.remedy == .again,
                try await store.keep(body, of: provider.id, from: .network(address), in: team.id, at: now)
            else { throw error }
            return .kept
        }
        return try await change(team.id) { change in try await apply(notification, at: now, change) ? .done : .known }
    }

    private func change<Value>(_ team: TeamID, _ body: (borrowing Change) async throws -> Value) async throws -> Value {
        try await database.change(in: team, by: .system(provider.id.rawValue), from: .local, body)
    }

    /// Applies a notification once; false if it was received before.
    private func apply(_ notification: UpstreamNotification, at now: Timestamp, _ change: borrowing Change) async throws
        -> Bool
    {
        guard try await store.insert(notification, of: provider.id, at: now, change) else { return false }
        for event in notification.eventsByPerson {
            guard let identifier = event.identifier else { continue }
            // An unknown user may be signing in for the first time: that is ended first, or seen once it is done.
            var person = try await store.person(identifier, at: provider.id, change)
            if person == nil {
                try await endAnnouncement(event, of: identifier, notification, change)
                person = try await store.person(identifier, at: provider.id, change)
            }
            guard let person else {
                try await noteUnlinkOfUnknownUser(event, identifier, notification, at: now, change)
                continue
            }
            let effect = UpstreamNotificationEffects.Effect(
                event: event, person: person, primaryAppID: notification.primaryAppID, now: now,
                appliedAt: server.clock())
            try await cascade.apply(effect, change)
            try await endAnnouncement(event, of: person.subject, notification, change)
        }
        return true
    }

    /// Records the unlink of an unknown user, because a waiting answer may be about this user.
    private func noteUnlinkOfUnknownUser(
        _ event: UpstreamNotification.Event, _ identifier: Subject, _ notification: UpstreamNotification,
        at now: Timestamp, _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let end = cascade.unlink(event, of: identifier, for: notification.primaryAppID, in: change.team, at: now)
        if let end { try await change.query(end) }
    }

    private func endAnnouncement(
        _ event: UpstreamNotification.Event, of subject: Subject, _ notification: UpstreamNotification,
        _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let end = cascade.announcementEnd(event, of: subject, for: notification.primaryAppID, in: change.team)
        if let end { try await change.query(end) }
    }
}

// Verification of stored notifications.
extension UpstreamNotifications {
    /// Registers the handler of jobs that verify stored notifications.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(UpstreamNotificationJob.self) { job, run in try await verify(job, run) }
    }

    private func verify(_ job: UpstreamNotificationJob, _ run: JobRun) async throws -> JobOutcome {
        guard job.provider == provider.id.rawValue else { return .ofUnknownProvider }
        guard let team = try await teams.snapshot(of: run.team) else { return .succeeded(["verdict": "no team"]) }
        guard let body = store.open(job, in: run.team) else { return .failed("the notification cannot be opened") }
        let receivedAt = Timestamp(microseconds: job.receivedAt)
        let notification: UpstreamNotification
        do throws(UpstreamFailure) {
            notification = try await provider.notification(body, receivedAt: receivedAt, in: team)
        } catch {
            let isLast = error.cause == .upstreamKey && run.claim.attempt >= Self.attemptsAtKey
            return error.remedy == .again && !isLast
                ? .failed(error.reason) : .succeeded(["verdict": .string(error.reason)])
        }
        return try await change(run.team) { change in
            _ = try await apply(notification, at: receivedAt, change)
            return try await run.succeed(["verdict": "done"], change.transaction)
        }
    }
}

/// Job that verifies a notification whose keys were unavailable on arrival; the provider may not send it again.
public struct UpstreamNotificationJob: JobKind {
    public static let kind = "upstream.notification"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.firstDelay = .seconds(15)
        policy.timeout = .seconds(60)
        // Short, so that notifications that never verify do not accumulate.
        policy.keepsDead = .seconds(86_400)
        policy.keepsReceipt = .seconds(600)
        return policy
    }

    /// The provider's ID.
    let provider: String
    /// Body as posted, sealed, in base64url; not verified yet.
    let sealed: String
    /// Time of arrival, in microseconds since 1970, at which the notification must have been valid.
    let receivedAt: Int64
    /// Key of the network that sent it; nil in jobs of earlier releases.
    let network: String?
}

/// Verified notification of a provider about its users.
public struct UpstreamNotification: Sendable {
    /// One event of a notification.
    public struct Event: Sendable {
        /// Nil for an unknown type.
        public let type: NotificationType?
        /// The provider's spelling of the type.
        public let name: String
        /// The provider's identifier of the user.
        public let identifier: Subject?
        public let at: Timestamp

        /// - Parameter name: the provider's spelling of the type; Apple has two for a deleted account.
        public init(_ name: String, of identifier: Subject?, at moment: Timestamp) {
            self.name = name
            self.identifier = identifier
            at = moment
            type = name == "account-deleted" ? .accountDelete : NotificationType(rawValue: name)
        }
    }

    /// `jti`, or another value that is equal whenever the notification is repeated.
    public let id: String
    /// The primary App ID of the group it is for.
    public let primaryAppID: ClientID
    public let events: [Event]

    /// Events sorted by user, those of each user in their original order.
    ///
    /// The order of users is the same in all notifications, so that concurrent ones lock shared users in that order.
    var eventsByPerson: [Event] {
        events.sorted { one, other in
            let (first, second) = (one.identifier?.rawValue ?? "", other.identifier?.rawValue ?? "")
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }
}
