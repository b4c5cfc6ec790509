public import Core
import OAuth
public import Platform
public import Postgres

/// Stores daily counts: a few rows per team, so that no page has to count individual rows.
public struct DailyCountStore: Sendable {
    /// Limit for counting today's new users; those of earlier days are counted once and stored.
    public static let todayLimit = 10_000

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Adds to the counts of a team; a crash of the server within moments may undo it.
    ///
    /// Sign-ins are counted for the team as a whole, and a Service ID stores the day of its last one, because a row for
    /// each client and day would make as many rows as the team registers and deletes in a year.
    func add(_ counts: [DailyCounts.Key: Int], in team: TeamID) async throws(PostgresFailure) {
        let rows = counts.sorted { left, right in
            (left.key.measure.rawValue, left.key.day, left.key.subject) < (
                right.key.measure.rawValue, right.key.day, right.key.subject
            )
        }
        try await database.query(
            """
            INSERT INTO daily_counts AS known (team_id, day, measure, subject, count)
            SELECT \(team), day::date, measure, CASE measure WHEN 'sign_in' THEN '' ELSE subject END AS whose,
                sum(count::bigint)
            FROM unnest(
                \(rows.map(\.key.day)), \(rows.map(\.key.measure.rawValue)), \(rows.map(\.key.subject)),
                \(rows.map { String($0.value) })
            ) AS given (day, measure, subject, count)
            GROUP BY measure, day, whose ORDER BY measure, day, whose
            ON CONFLICT (team_id, measure, day, subject)
            DO UPDATE SET count = known.count + excluded.count
            """, in: team, durability: .relaxed)
        try await noteUse(rows.map(\.key).filter { $0.measure == .signIn }, in: team)
    }

    /// Records the day of the last sign-in to each Service ID.
    ///
    /// A Service ID that is being changed or deleted is skipped until its next sign-in, so that the counts do not wait.
    private func noteUse(_ signIns: [DailyCounts.Key], in team: TeamID) async throws(PostgresFailure) {
        guard !signIns.isEmpty else { return }
        try await database.query(
            """
            WITH given AS (
                SELECT service, max(day::date) AS day
                FROM unnest(\(signIns.map(\.subject)), \(signIns.map(\.day))) AS given (service, day)
                GROUP BY service
            ), standing AS (
                SELECT identifier, day FROM service_ids JOIN given ON identifier = service
                WHERE team_id = \(team) AND NOT EXISTS (
                    SELECT FROM service_id_sign_ins AS noted
                    WHERE noted.team_id = \(team) AND noted.service_id = service AND noted.last_day >= day
                )
                ORDER BY identifier FOR KEY SHARE OF service_ids SKIP LOCKED
            )
            INSERT INTO service_id_sign_ins AS known (team_id, service_id, last_day)
            SELECT \(team), identifier, day FROM standing
            ON CONFLICT (team_id, service_id)
            DO UPDATE SET last_day = greatest(known.last_day, excluded.last_day)
            """, in: team, durability: .relaxed)
    }

    /// The counts of the last `count` days, including today.
    public func report(of team: TeamID, days count: Int, at now: Timestamp) async throws(PostgresFailure) -> DailyReport
    {
        let today = now.seconds / 86_400
        let days = (today - count + 1...today).map { Timestamp(seconds: $0 * 86_400) }
        let rows = try await database.query(Self.reading(team, from: days[0], to: days[count - 1]), in: team)
        var entries: [DailyReport.Entry] = []
        for var row in rows {
            guard let measure = Measure(rawValue: try row.next(String.self)) else { continue }
            entries.append(
                DailyReport.Entry(measure: measure, day: try row.next(), subject: try row.next(), count: try row.next())
            )
        }
        return DailyReport(entries, days: days)
    }

    /// New users are counted from their rows after the end of a day, then stored; user creation does no counting.
    ///
    /// Times are cast, because the comparison of a time with a date cannot use an index under row-level security.
    private static func reading(_ team: TeamID, from first: Timestamp, to today: Timestamp) -> SQL {
        """
        WITH missing AS (
            SELECT day::timestamptz FROM generate_series(
                \(first)::timestamptz, \(today - .seconds(86_400))::timestamptz, interval '1 day'
            ) AS day
            WHERE NOT EXISTS (
                SELECT FROM daily_counts
                WHERE team_id = \(team) AND measure = 'new_user' AND daily_counts.day = day::date
            )
        ), counted AS (
            INSERT INTO daily_counts (team_id, measure, day, subject, count)
            SELECT \(team), 'new_user', day::date, '', (
                SELECT count(*) FROM users
                WHERE team_id = \(team) AND created_at >= day AND created_at < day + interval '1 day'
            )
            FROM missing
            ON CONFLICT DO NOTHING
            RETURNING measure, day, subject, count
        )
        SELECT measure, day::text, subject, count FROM daily_counts
        WHERE team_id = \(team) AND measure IN ('sign_in', 'failure', 'unkept', 'new_user')
            AND day >= \(first)::date
        UNION ALL
        SELECT measure, day::text, subject, count FROM counted
        UNION ALL
        SELECT 'new_user', \(today)::date::text, '', count(*) FROM (
            SELECT FROM users WHERE team_id = \(team) AND created_at >= \(today) LIMIT \(todayLimit)
        ) AS arrived
        """
    }
}

/// The counts since the last write, by team and day.
struct DailyCounts {
    struct Key: Hashable {
        /// The date in UTC, as in `2026-11-20`.
        let day: String
        let measure: Measure
        let subject: String
    }

    private static let capacity = 50_000
    private var teams: [TeamID: [Key: Int]] = [:]
    private var size = 0
    private var today = (number: -1, text: "")

    var isEmpty: Bool { teams.isEmpty }

    mutating func increment(_ measure: Measure, _ subject: String, of team: TeamID, at moment: Timestamp) {
        let key = Key(day: day(of: moment), measure: measure, subject: subject)
        guard teams[team]?[key] != nil || size < Self.capacity else { return }
        if teams[team]?[key] == nil { size += 1 }
        teams[team, default: [:]][key, default: 0] += 1
    }

    mutating func drain() -> [TeamID: [Key: Int]] {
        defer { (teams, size) = ([:], 0) }
        return teams
    }

    private mutating func day(of moment: Timestamp) -> String {
        let number = moment.seconds / 86_400
        if today.number != number { today = (number, String(moment.description.prefix(10))) }
        return today.text
    }
}
