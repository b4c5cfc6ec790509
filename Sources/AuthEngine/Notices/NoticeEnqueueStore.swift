public import Domain
import Jobs
public import Postgres

// Enqueueing.
extension NewNotice {
    /// Parts of a WITH clause by which notices about mail that still wait give way to this one.
    ///
    /// The app is told how it is now, once. A notice that is being delivered is left alone; `event_time` tells which is
    /// newer.
    /// - Parameter condition: a FROM or WHERE clause; nothing gives way when it yields no row.
    func superseding(in team: TeamID, when condition: SQL) -> SQL {
        """
        waiting AS (
            SELECT notice_id, job_id FROM notices
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND state = 'pending' AND NOT is_test
                AND type IN (\(NoticeType.emailDisabled), \(NoticeType.emailEnabled)) AND EXISTS (SELECT \(condition))
        ), \(Self.givingWay(in: team))
        """
    }

    /// Two parts of a WITH clause by which the notices of its part `waiting` give way, but for those that are being delivered;
    /// `superseded` yields when their turns were.
    static func givingWay(in team: TeamID) -> SQL {
        """
        given_up AS (
            \(NewJob.cancellation(in: team, of: "SELECT job_id FROM waiting")) RETURNING job_id
        ), superseded AS (
            DELETE FROM notices USING waiting, given_up
            WHERE notices.team_id = \(team) AND notices.notice_id = waiting.notice_id
                AND waiting.job_id = given_up.job_id
            RETURNING notices.turn_at
        )
        """
    }

    /// Two parts of a WITH clause that write the notice and its delivery, where the App ID has a notification URL.
    ///
    /// Splice them into the statement that makes the change: `WITH ended AS (…), \(notice.parts(in: team, when: "FROM
    /// ended")) SELECT …`, so that the notice exists if the change does, and only then.
    /// - Parameter condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public func parts(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        notice AS (
            INSERT INTO notices (team_id, notice_id, app_id, type, sub, event_time, is_test, job_id)
            SELECT \(team), \(id), identifier, \(type), \(subject), clock_timestamp(), \(isTest), \(job.id)
            FROM app_ids
            WHERE team_id = \(team) AND identifier = \(appID) AND notification_url IS NOT NULL
                AND EXISTS (SELECT \(condition))
            RETURNING notice_id
        ), notice_job AS (
            \(job.insertion(in: team, when: "FROM notice"))
        )
        """
    }
}

/// Tells apps what happened to their people, through the durable outbox.
public enum Notices {
    /// Enqueues a notice in the caller's transaction: it is sent if that commits, and only then.
    ///
    /// - Returns: whether there is anybody to tell: an App ID without a notification URL is told nothing.
    @discardableResult
    public static func enqueue(
        _ notice: NewNotice,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            "WITH \(notice.parts(in: team)) SELECT notice_id FROM notice"
        )
        return !rows.isEmpty
    }

    /// Enqueues a notice for each group of apps that a person has consented to, in the caller's transaction.
    ///
    /// Events about the relay address go to the groups that were given it, the others to all.
    public static func enqueue(
        _ type: NoticeType,
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT consents.app_id
            FROM consents
            JOIN app_ids ON app_ids.team_id = \(team) AND app_ids.identifier = consents.app_id
            WHERE consents.team_id = \(team) AND consents.sub = \(subject)
                AND app_ids.notification_url IS NOT NULL AND (consents.hides_email OR NOT \(type.isAboutEmail))
            ORDER BY consents.app_id
            """
        )
        for var row in rows {
            let appID: ClientID = try row.next()
            try await enqueue(NewNotice(type, of: subject, to: appID), in: team, transaction)
        }
    }
}
