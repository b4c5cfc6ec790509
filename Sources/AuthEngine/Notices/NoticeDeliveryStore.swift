import Bytes
import Domain
import Postgres

/// What the delivery of notices reads and writes.
struct NoticeDeliveryStore: Sendable {
    let database: TeamDatabase

    /// The notice as it is to be sent now, or nil when it is not waiting any more.
    func letter(_ id: NoticeID, in team: TeamID) async throws(PostgresFailure) -> NoticeLetter? {
        let rows = try await database.query(
            """
            SELECT notices.type, notices.sub, notices.app_id, notices.event_time, app_ids.notification_url,
                CASE WHEN consents.is_provider_email_private THEN consents.provider_email
                    WHEN users.is_private_email THEN users.email ELSE users.relay_address END,
                notices.turn_at, teams.account_delete_event
            FROM notices
            JOIN teams ON teams.team_id = \(team)
            LEFT JOIN app_ids ON app_ids.team_id = \(team) AND app_ids.identifier = notices.app_id
            LEFT JOIN users ON users.team_id = \(team) AND users.sub = notices.sub
            LEFT JOIN consents ON consents.team_id = \(team) AND consents.sub = notices.sub
                AND consents.app_id = notices.app_id
            WHERE notices.team_id = \(team) AND notices.notice_id = \(id) AND notices.state = 'pending'
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return NoticeLetter(
            id: id,
            type: try row.next(),
            subject: try row.next(),
            appID: try row.next(),
            eventTime: try row.next(),
            url: try row.next(),
            relayAddress: try row.next(),
            turnAt: try row.next(),
            accountDeleteEvent: try row.next()
        )
    }

    /// Keeps when the turn of a notice is.
    func keep(_ turn: Timestamp, for id: NoticeID, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE notices SET turn_at = \(turn)
            WHERE team_id = \(team) AND notice_id = \(id) AND state = 'pending'
            """,
            in: team
        )
    }

    /// Gives a notice the turn of an older one that says the same of the same person to the same app and still waits, which
    /// gives way.
    ///
    /// - Returns: when it is; nil where none waits.
    func takeOverTurn(_ letter: NoticeLetter, in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            """
            WITH waiting AS (
                SELECT notice_id, job_id FROM notices
                WHERE team_id = \(team) AND sub = \(letter.subject) AND app_id = \(letter.appID)
                    AND type = \(letter.type) AND state = 'pending' AND turn_at IS NOT NULL AND NOT is_test
                    AND notice_id <> \(letter.id) AND event_time <= \(letter.eventTime)
            ), \(NewNotice.givingWay(in: team))
            UPDATE notices SET turn_at = (SELECT min(turn_at) FROM superseded)
            WHERE team_id = \(team) AND notice_id = \(letter.id) AND EXISTS (SELECT FROM superseded)
            RETURNING turn_at
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Keeps an attempt, and what the notice has come to with it.
    func record(
        _ attempt: NoticeAttempt,
        of id: NoticeID,
        state: NoticeState,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let (status, problem) = attempt.columns
        try await transaction.query(
            """
            WITH counted AS (
                UPDATE notices
                SET attempts = attempts + 1, state = \(state), turn_at = NULL,
                    settled_at = CASE WHEN \(state)::text = 'pending' THEN NULL ELSE clock_timestamp() END
                WHERE team_id = \(team) AND notice_id = \(id)
                RETURNING attempts
            )
            INSERT INTO notice_attempts (
                team_id, notice_id, number, at, url, status, problem, milliseconds, excerpt
            )
            SELECT \(team), \(id), attempts, \(attempt.at), \(attempt.url), \(status)::bigint, \(problem),
                \(attempt.milliseconds)::bigint, \(attempt.excerpt)
            FROM counted
            """
        )
    }
}

extension NoticeAttempt {
    fileprivate var columns: (status: Int?, problem: String?) {
        switch result {
        case .answered(let status): (status, nil)
        case .failed(let problem): (nil, problem.rawValue)
        }
    }
}
