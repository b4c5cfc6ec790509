public import Core
public import Platform
public import Postgres

/// Finds the items that need a team's attention, in one statement.
public struct TeamAttentionStore: Sendable {
    /// Most items; a longer list is not read.
    public static let limit = 12

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> [TeamAttention] {
        let rows = try await database.query(
            """
            \(Self.secrets(.secretEnded, team, from: now - Self.month, to: now))
            UNION ALL
            \(Self.mail(team))
            UNION ALL
            \(Self.refusals(team))
            UNION ALL
            \(Self.secrets(.secretEnds, team, from: now, to: now + Self.month))
            UNION ALL
            \(Self.keys(team, now))
            UNION ALL
            \(Self.services(team, now))
            UNION ALL
            \(Self.domains(team))
            LIMIT \(Self.limit)
            """, in: team)
        var found: [TeamAttention] = []
        for var row in rows {
            guard let kind = TeamAttention.Kind(rawValue: try row.next(String.self)) else { continue }
            found.append(TeamAttention(kind: kind, subject: try row.next(), since: try row.next()))
        }
        return found
    }

    private static let month = Duration.seconds(30 * 86_400)

    /// Client secrets that block an app come first; one that expired over a month ago is left out as evidently unused.
    private static func secrets(_ kind: TeamAttention.Kind, _ team: TeamID, from start: Timestamp, to end: Timestamp)
        -> SQL
    {
        """
        (
            SELECT \(kind.rawValue) AS kind, client_id AS subject, ends_at AS since
            FROM client_secret_ends
            WHERE team_id = \(team) AND ends_at > \(start) AND ends_at <= \(end)
            ORDER BY ends_at LIMIT \(limit)
        )
        """
    }

    /// The mail that has been tried in vain for the longest, with its last problem; a single failure is left out.
    private static func mail(_ team: TeamID) -> SQL {
        """
        (
            SELECT 'mail_waits', problem, created_at FROM jobs
            WHERE team_id = \(team) AND state = 'pending' AND priority = \(JobPolicy.Priority.urgent) AND attempts > 2
                AND problem IS NOT NULL
            ORDER BY created_at LIMIT 1
        )
        """
    }

    /// One row for each group, found by stepping from group to group, because there may be a token for every user.
    private static func refusals(_ team: TeamID) -> SQL {
        let troubled: SQL = "team_id = \(team) AND problem IS NOT NULL"
        return """
            (
                WITH RECURSIVE walk (app_id, since) AS (
                    (
                        SELECT app_id, problem_at FROM upstream_tokens
                        WHERE \(troubled) ORDER BY app_id, problem_at LIMIT 1
                    )
                    UNION ALL
                    SELECT following.* FROM walk CROSS JOIN LATERAL (
                        SELECT app_id, problem_at FROM upstream_tokens
                        WHERE \(troubled) AND app_id > walk.app_id ORDER BY app_id, problem_at LIMIT 1
                    ) AS following
                )
                SELECT 'apple_refuses', app_id, since FROM walk LIMIT \(limit)
            )
            """
    }

    /// Keys never used for a week, not used for three months, or older than a year.
    private static func keys(_ team: TeamID, _ now: Timestamp) -> SQL {
        """
        (
            SELECT CASE WHEN last_used_at IS NULL THEN 'key_never_used'
                    WHEN last_used_at < \(now - .seconds(90 * 86_400)) THEN 'key_unused'
                    ELSE 'key_old' END AS kind,
                keys.key_id AS subject, coalesce(last_used_at, created_at) AS since
            FROM keys LEFT JOIN key_uses
                ON key_uses.team_id = \(team) AND key_uses.key_id = keys.key_id
            WHERE keys.team_id = \(team) AND rank IS NOT NULL AND (
                last_used_at IS NULL AND created_at < \(now - .seconds(7 * 86_400))
                OR last_used_at < \(now - .seconds(90 * 86_400))
                OR created_at < \(now - .seconds(365 * 86_400))
            )
            ORDER BY created_at LIMIT \(limit)
        )
        """
    }

    /// Unverified domains; loopback addresses of sandbox teams are left out, unless the team requires verification.
    private static func domains(_ team: TeamID) -> SQL {
        """
        (
            SELECT 'domain_unverified', domain, failed_since FROM domains
            WHERE team_id = \(team) AND NOT is_verified AND NOT (
                domain ~ '(^|[.])localhost$|^127([.][0-9]+){3}$|^\\[::1\\]$' AND EXISTS (
                    SELECT FROM teams
                    WHERE team_id = \(team) AND mode = 'sandbox' AND NOT requires_verified_domains
                )
            )
            ORDER BY domain LIMIT \(limit)
        )
        """
    }

    private static func services(_ team: TeamID, _ now: Timestamp) -> SQL {
        """
        (
            SELECT 'no_return_url', identifier, NULL::timestamptz FROM service_ids
            WHERE team_id = \(team) AND NOT EXISTS (
                SELECT FROM return_urls
                WHERE return_urls.team_id = \(team) AND service_id = service_ids.identifier
            )
            ORDER BY identifier LIMIT \(limit)
        )
        UNION ALL
        (
            SELECT 'no_sign_in', identifier, last_day::timestamptz
            FROM service_ids LEFT JOIN service_id_sign_ins AS used
                ON used.team_id = \(team) AND used.service_id = identifier
            WHERE service_ids.team_id = \(team) AND created_at < \(now - month)
                AND (last_day IS NULL OR last_day < \(now - month)::date)
            ORDER BY identifier LIMIT \(limit)
        )
        """
    }
}

/// An item of a team that is unused, old or incomplete.
public struct TeamAttention: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// A key without any signature since its creation.
        case keyNeverUsed = "key_never_used"
        case keyUnused = "key_unused"
        /// A key older than a year.
        case keyOld = "key_old"
        case noReturnURL = "no_return_url"
        case domainUnverified = "domain_unverified"
        /// A Service ID without a sign-in for a month.
        case noSignIn = "no_sign_in"
        /// An app with a stored client secret that expires within a month.
        case secretEnds = "secret_ends"
        /// An app whose stored client secret has expired, so that it cannot redeem codes.
        case secretEnded = "secret_ended"
        /// Mail that the mail server does not take.
        case mailWaits = "mail_waits"
        /// An app whose tokens Apple neither validates nor revokes.
        case appleRefuses = "apple_refuses"
    }

    public let kind: Kind
    /// The Key ID, client ID or domain; of mail, the problem.
    public let subject: String
    /// Time of the event, or since when the state lasts; nil when it has lasted from the beginning.
    public let since: Timestamp?
}
