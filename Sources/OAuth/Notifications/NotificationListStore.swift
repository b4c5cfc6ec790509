import Core
public import Platform
public import Postgres

/// Reads the delivery log.
public struct NotificationListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Page of the matching notifications.
    public func page(in team: TeamID, matching filter: NotificationFilter, after cursor: ListCursor?, limit: Int)
        async throws(PostgresFailure) -> Page<NotificationSummary>
    {
        let rows = try await database.search(
            Self.selection(in: team, filter, after: cursor, limit: limit + 1), in: team)
        return try Page(rows, limit: limit, read: NotificationSummary.init) { ListCursor($0.createdAt, $0.id.rawValue) }
    }

    /// Finds a notification by its ID.
    public func find(_ id: NotificationID, in team: TeamID) async throws(PostgresFailure) -> NotificationSummary? {
        let rows = try await database.query(
            """
            SELECT \(Self.columns)
            FROM (
                SELECT \(Self.ownColumns) FROM notifications WHERE team_id = \(team) AND notification_id = \(id)
            ) AS page \(Self.job(in: team))
            """, in: team)
        return try rows.firstValue(NotificationSummary.init)
    }

    /// Attempts to deliver a notification, newest first, at most a hundred.
    public func attempts(of id: NotificationID, in team: TeamID) async throws(PostgresFailure) -> [DeliveryAttempt] {
        let rows = try await database.query(
            """
            SELECT at, url, status, problem, milliseconds, excerpt FROM delivery_attempts
            WHERE team_id = \(team) AND notification_id = \(id)
            ORDER BY number DESC
            LIMIT 100
            """, in: team)
        return try rows.all(DeliveryAttempt.init)
    }

    /// One statement for the page and the count; it yields a row even if the page is empty.
    private static func selection(in team: TeamID, _ filter: NotificationFilter, after cursor: ListCursor?, limit: Int)
        -> SQL
    {
        let following: SQL =
            if let cursor {
                """
                AND created_at <= \(cursor.at)
                AND (created_at < \(cursor.at) OR notification_id > \(cursor.id))
                """
            } else { "" }
        return """
            SELECT (
                SELECT count(*) FROM (
                    SELECT FROM notifications WHERE team_id = \(team) \(filter.condition)
                    ORDER BY created_at DESC, notification_id LIMIT \(Page<NotificationSummary>.countLimit + 1)
                ) AS counted
            ), page.notification_id IS NOT NULL, \(columns)
            FROM (VALUES (1)) AS one (row) LEFT JOIN (
                SELECT \(ownColumns) FROM notifications
                WHERE team_id = \(team) \(filter.condition) \(following)
                ORDER BY created_at DESC, notification_id
                LIMIT \(limit)
            ) AS page ON true \(job(in: team))
            ORDER BY page.created_at DESC, page.notification_id
            """
    }

    private static let ownColumns: SQL =
        "notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id"

    /// Columns of `page`, whose own columns are `ownColumns`, and of `job`.
    private static let columns: SQL = """
        page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
        page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
        """

    /// Joins the pending job of a pending notification.
    private static func job(in team: TeamID) -> SQL {
        """
        LEFT JOIN jobs AS job ON job.team_id = \(team) AND job.job_id = page.job_id
            AND job.state = 'pending' AND page.state = 'pending'
        """
    }
}

extension NotificationFilter {
    /// Conditions for the set fields only, because a condition that may be null cannot use an index.
    fileprivate var condition: SQL {
        var condition: SQL = ""
        if let state { condition = "\(condition) AND state = \(state)" }
        if let type { condition = "\(condition) AND type = \(type)" }
        if let appID { condition = "\(condition) AND app_id = \(appID)" }
        if let subject { condition = "\(condition) AND sub = \(subject)" }
        return condition
    }
}

extension NotificationSummary {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        type = try row.next()
        subject = try row.next()
        appID = try row.next()
        state = try row.next()
        attempts = try row.next()
        isTest = try row.next()
        createdAt = try row.next()
        settledAt = try row.next()
        delivery = try Delivery(&row)
    }
}

extension NotificationSummary.Delivery {
    /// An attempt counts from its beginning, so one in progress is not a failure.
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let attempts: Int? = try row.next()
        let isUnderWay: Bool = try row.next()
        let dueAt: Timestamp? = try row.next()
        guard let attempts else { return nil }
        failures = isUnderWay ? attempts - 1 : attempts
        nextAttemptAt = isUnderWay ? nil : dueAt
    }
}

extension DeliveryAttempt {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        at = try row.next()
        url = try row.next()
        let status: Int? = try row.next()
        let problem: String? = try row.next()
        result = status.map { .answered(status: $0) } ?? .failed(problem.flatMap(Problem.init) ?? .other)
        milliseconds = try row.next()
        excerpt = try row.next()
    }
}

/// Sends notifications on request of a team member: a stored one again, or a test.
public struct NotificationReplayStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Sends a settled notification again, under the same `jti`; false if it is pending or does not exist.
    public func replay(_ id: NotificationID, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws(PostgresFailure) -> Bool
    {
        let job = NewJob(NotificationJob(id))
        let event = AuditEvent("notification.replayed", by: actor, on: .notification(id), from: origin)
        let rows = try await database.query(
            """
            WITH waiting AS (
                UPDATE notifications SET state = 'pending', settled_at = NULL, job_id = \(job.id)
                WHERE team_id = \(team) AND notification_id = \(id) AND state <> 'pending'
                RETURNING notification_id
            ), job AS (
                \(job.insertion(in: team, when: "FROM waiting"))
            ), audit AS (
                \(event.insertion(in: team, when: "FROM waiting"))
            )
            SELECT notification_id FROM waiting
            """, in: team)
        return !rows.isEmpty
    }

    /// Sends a test notification about no real user; nil if the App ID has no notification URL.
    public func test(
        _ type: NotificationType, to appID: ClientID, in team: TeamID, by actor: Actor, from origin: Origin
    ) async throws(PostgresFailure) -> NotificationID? {
        let notification = NewNotification(type, of: NewNotification.testSubject, to: appID, isTest: true)
        let event = AuditEvent(
            "notification.tested", by: actor, on: .notification(notification.id), from: origin,
            after: ["appID": .string(appID.rawValue), "type": .string(type.rawValue)])
        let rows = try await database.query(
            """
            WITH \(notification.parts(in: team)), audit AS (
                \(event.insertion(in: team, when: "FROM notification"))
            )
            SELECT notification_id FROM notification
            """, in: team)
        return rows.isEmpty ? nil : notification.id
    }
}

extension AuditEvent.Target {
    fileprivate static func notification(_ id: NotificationID) -> AuditEvent.Target {
        AuditEvent.Target("notification", id.rawValue)
    }
}
