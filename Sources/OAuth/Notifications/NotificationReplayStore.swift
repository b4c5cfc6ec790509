import Core
public import Platform
public import Postgres

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
                UPDATE notices SET state = 'pending', settled_at = NULL, job_id = \(job.id)
                WHERE team_id = \(team) AND notice_id = \(id) AND state <> 'pending'
                RETURNING notice_id
            ), job AS (
                \(job.insertion(in: team, when: "FROM waiting"))
            ), audit AS (
                \(event.insertion(in: team, when: "FROM waiting"))
            )
            SELECT notice_id FROM waiting
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
                \(event.insertion(in: team, when: "FROM notice"))
            )
            SELECT notice_id FROM notice
            """, in: team)
        return rows.isEmpty ? nil : notification.id
    }
}

extension AuditEvent.Target {
    fileprivate static func notification(_ id: NotificationID) -> AuditEvent.Target {
        AuditEvent.Target("notice", id.rawValue)
    }
}
