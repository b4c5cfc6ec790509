import Core
public import Platform
import Postgres
import Registry

/// Database statements of the delivery of notifications.
struct NotificationDeliveryStore: Sendable {
    let database: TeamDatabase

    /// Notification as it is to be sent now; nil if it is no longer pending.
    func token(_ id: NotificationID, in team: TeamID) async throws(PostgresFailure) -> NotificationToken? {
        let rows = try await database.query(
            """
            SELECT notifications.type, notifications.sub, notifications.app_id, notifications.event_time, app_ids.notification_url,
                CASE WHEN consents.is_upstream_email_private THEN consents.upstream_email
                    WHEN users.is_private_email THEN users.email ELSE users.relay_address END,
                teams.account_delete_event
            FROM notifications
            JOIN teams ON teams.team_id = \(team)
            LEFT JOIN app_ids ON app_ids.team_id = \(team) AND app_ids.identifier = notifications.app_id
            LEFT JOIN users ON users.team_id = \(team) AND users.sub = notifications.sub
            LEFT JOIN consents ON consents.team_id = \(team) AND consents.sub = notifications.sub
                AND consents.app_id = notifications.app_id
            WHERE notifications.team_id = \(team) AND notifications.notification_id = \(id) AND notifications.state = 'pending'
            """, in: team)
        guard var row = rows.first else { return nil }
        return NotificationToken(
            id: id, type: try row.next(), subject: try row.next(), appID: try row.next(), eventTime: try row.next(),
            url: try row.next(), relayAddress: try row.next(), accountDeleteEvent: try row.next())
    }

    /// Stores an attempt, and the resulting state of the notification.
    func record(
        _ attempt: DeliveryAttempt, of id: NotificationID, state: NotificationState, in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let (status, problem) = attempt.columns
        try await transaction.query(
            """
            WITH counted AS (
                UPDATE notifications
                SET attempts = attempts + 1, state = \(state),
                    settled_at = CASE WHEN \(state)::text = 'pending' THEN NULL ELSE clock_timestamp() END
                WHERE team_id = \(team) AND notification_id = \(id)
                RETURNING attempts
            )
            INSERT INTO delivery_attempts (
                team_id, notification_id, number, at, url, status, problem, milliseconds, excerpt
            )
            SELECT \(team), \(id), attempts, \(attempt.at), \(attempt.url), \(status)::bigint, \(problem),
                \(attempt.milliseconds)::bigint, \(attempt.excerpt)
            FROM counted
            """)
    }
}

extension DeliveryAttempt {
    fileprivate var columns: (status: Int?, problem: String?) {
        switch result {
        case .answered(let status): (status, nil)
        case .failed(let problem): (nil, problem.rawValue)
        }
    }
}

/// Job that delivers a notification.
///
/// Failed attempts are repeated over two and a half days; then the notification is dead, and the console can send it
/// again.
public struct NotificationJob: JobKind {
    public static let kind = "notification.delivery"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.timeout = .seconds(60)
        return policy
    }

    let notification: String
    /// Spelling of the account deletion event, if it is not the team's.
    let spelling: String?
    /// Number of copies sent, if more than one.
    let copies: Int?

    init(_ id: NotificationID, _ form: NotificationFormat = NotificationFormat()) {
        notification = id.rawValue
        spelling = form.accountDeleteEvent?.rawValue
        copies = form.copies > 1 ? form.copies : nil
    }
}

/// Postpones notifications to servers whose domain the team has not verified as its own.
///
/// Any URL can be entered, and a team can cause events as often as it likes: without a limit, an uninvolved server would
/// be called hundreds of times a second. A server on a verified domain of the team is called at once.
struct NotificationScheduler: Sendable {
    private let domains: DomainStore
    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        domains = DomainStore(database)
        self.database = database
    }

    /// Time until a notification may be sent; nil if it can be sent now.
    func wait(for token: NotificationToken, in team: TeamID, at now: Timestamp) async throws -> Duration? {
        guard let url = token.url, let host = NotificationURL(stored: url).hostName,
            try await !domains.isVerified(host: host, in: team)
        else { return nil }
        do {
            try await database.count([RateLimit.Use(.unverifiedHost, by: .host(host))], in: team, at: now)
            return nil
        } catch let refusal as TooManyRequests {
            // Not all at once when the window ends.
            return refusal.wait + .seconds(Int.random(in: 0..<60))
        }
    }
}
