import Audit
import Bytes
public import Domain
import Jobs
public import Postgres

/// Sends notices that a member of the team asks for: one again, or one to try the address.
public struct NoticeReplayStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Sends a settled notice once more, under the same `jti`; false when it is waiting anyway, or not there.
    public func replay(
        _ id: NoticeID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
        let job = NewJob(NoticeJob(id))
        let event = AuditEvent("notice.replayed", by: actor, on: .notice(id), from: origin)
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
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// Sends a notice about nobody; nil when the App ID has no notification URL.
    public func test(
        _ type: NoticeType,
        to appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> NoticeID? {
        let notice = NewNotice(type, of: NewNotice.testSubject, to: appID, isTest: true)
        let event = AuditEvent(
            "notice.tested",
            by: actor,
            on: .notice(notice.id),
            from: origin,
            after: ["appID": .string(appID.rawValue), "type": .string(type.rawValue)]
        )
        let rows = try await database.query(
            """
            WITH \(notice.parts(in: team)), audit AS (
                \(event.insertion(in: team, when: "FROM notice"))
            )
            SELECT notice_id FROM notice
            """,
            in: team
        )
        return rows.isEmpty ? nil : notice.id
    }
}

extension AuditEvent.Target {
    fileprivate static func notice(_ id: NoticeID) -> AuditEvent.Target {
        AuditEvent.Target("notice", id.rawValue)
    }
}
