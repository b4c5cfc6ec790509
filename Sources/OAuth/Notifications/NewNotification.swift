public import Crypto
public import Platform
public import Postgres

/// Notification that has not been enqueued yet.
public struct NewNotification: Sendable {
    /// `sub` of test notifications.
    public static let testSubject = Subject(hexadecimal: String(repeating: "0", count: 32))

    public let id: NotificationID
    let type: NotificationType
    let subject: Subject
    let appID: ClientID
    let isTest: Bool
    let job: NewJob

    /// - Parameter appID: the primary App ID of the notified group.
    public init(
        _ type: NotificationType, of subject: Subject, to appID: ClientID, isTest: Bool = false,
        form: NotificationFormat = NotificationFormat(), random: RandomSource = .system
    ) {
        id = NotificationID(random: random)
        self.type = type
        self.subject = subject
        self.appID = appID
        self.isTest = isTest
        job = NewJob(NotificationJob(id, form), random: random)
    }
}

// Enqueueing.
extension NewNotification {
    /// Parts of a WITH clause by which this notification replaces pending ones about mail forwarding.
    ///
    /// The app is notified of the current state, once. A notification that is being delivered is left alone;
    /// `event_time` shows which is newer.
    /// - Parameter condition: a FROM or WHERE clause; nothing is replaced when it yields no row.
    public func superseding(in team: TeamID, when condition: SQL) -> SQL {
        """
        waiting AS (
            SELECT notification_id, job_id FROM notifications
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND state = 'pending' AND NOT is_test
                AND type IN (\(NotificationType.emailDisabled), \(NotificationType.emailEnabled)) AND EXISTS (SELECT \(condition))
        ), \(Self.givingWay(in: team))
        """
    }

    /// Two parts of a WITH clause that delete the notifications of its part `waiting`, except those being delivered.
    private static func givingWay(in team: TeamID) -> SQL {
        """
        given_up AS (
            \(NewJob.cancellation(in: team, of: "SELECT job_id FROM waiting")) RETURNING job_id
        ), superseded AS (
            DELETE FROM notifications USING waiting, given_up
            WHERE notifications.team_id = \(team) AND notifications.notification_id = waiting.notification_id
                AND waiting.job_id = given_up.job_id
            RETURNING notifications.notification_id
        )
        """
    }

    /// Two parts of a WITH clause that write the notification and its delivery, if the App ID has a notification URL.
    ///
    /// Splice them into the statement that makes the change: `WITH ended AS (…), \(notification.parts(in: team, when:
    /// "FROM ended")) SELECT …`, so that the notification exists if the change does, and only then.
    /// - Parameter condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public func parts(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        notification AS (
            INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
            SELECT \(team), \(id), identifier, \(type), \(subject), clock_timestamp(), \(isTest), \(job.id)
            FROM app_ids
            WHERE team_id = \(team) AND identifier = \(appID) AND notification_url IS NOT NULL
                AND EXISTS (SELECT \(condition))
            RETURNING notification_id
        ), notification_job AS (
            \(job.insertion(in: team, when: "FROM notification"))
        )
        """
    }
}

/// Notifies apps of changes to their users, through a durable outbox.
public enum Notifications {
    /// Enqueues a notification in the caller's transaction: it is sent if that commits, and only then.
    ///
    /// - Returns: whether it was enqueued, which it is not for an App ID without a notification URL.
    @discardableResult public static func enqueue(
        _ notification: NewNotification, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            "WITH \(notification.parts(in: team)) SELECT notification_id FROM notification")
        return !rows.isEmpty
    }

    /// Enqueues a notification for each group that a user has consented to, in the caller's transaction.
    ///
    /// Events about the relay address are sent to the groups that received it, others to all.
    public static func enqueue(
        _ type: NotificationType, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT consents.app_id
            FROM consents
            JOIN app_ids ON app_ids.team_id = \(team) AND app_ids.identifier = consents.app_id
            WHERE consents.team_id = \(team) AND consents.sub = \(subject)
                AND app_ids.notification_url IS NOT NULL AND (consents.hides_email OR NOT \(type.isAboutEmail))
            ORDER BY consents.app_id
            """)
        for var row in rows {
            let appID: ClientID = try row.next()
            try await enqueue(NewNotification(type, of: subject, to: appID), in: team, transaction)
        }
    }
}
