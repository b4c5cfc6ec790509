import Bytes
import Domain
import Postgres

/// Counts wrong passwords, for all nodes together.
///
/// A try is counted before the password is compared and taken back when it was right, so that tries in parallel
/// cannot outrun the limit.
struct GuessLimitStore: Sendable {
    /// Wrong passwords in one window: enough for somebody who tries the ones they know, too few for a list.
    static let perAccount = 10
    static let perAddress = 50
    /// A site of IPv6 has 65,536 networks and may be one household or all of a carrier's customers, so it gets more than
    /// one of them and far less than all.
    static let perSite = LimitSubject.addressesPerSite * perAddress
    static let window = Duration.minutes(15)

    /// A try that has been counted.
    struct Charge: Sendable {
        let counters: GuessCounters
        /// When the counts of the address and of its site end, as far as they were made.
        fileprivate(set) var siteWindow: Timestamp?
        fileprivate(set) var addressWindow: Timestamp?
        fileprivate(set) var accountWindow: Timestamp?
        /// Until when nothing is compared any more, or nil when this try may be.
        fileprivate(set) var lockedUntil: Timestamp?
        /// Whether this is the last try before the lock.
        fileprivate(set) var isLast = false
    }

    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Counts a try, in one statement.
    ///
    /// Always the site before the address before the account, so that two tries never wait for one another. What is
    /// beyond its limit counts no further: an address uses up nothing of others' accounts, else it could lock out
    /// everybody, nor a site of its addresses'.
    func charge(
        _ counters: GuessCounters,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Charge {
        let end = now + Self.window
        let rows = try await database.queryRelaxed(
            """
            WITH site AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                SELECT \(team), \(counters.site), \(end), 1 WHERE \(counters.site) IS NOT NULL
                \(Self.increment(at: now))
            ), address AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                SELECT \(team), \(counters.address), \(end), 1
                WHERE \(counters.address) IS NOT NULL
                    AND NOT EXISTS (SELECT FROM site WHERE count > \(Self.perSite))
                \(Self.increment(at: now))
            ), account AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                SELECT \(team), \(counters.account), \(end), 1
                WHERE NOT EXISTS (SELECT FROM address WHERE count > \(Self.perAddress))
                    AND NOT EXISTS (SELECT FROM site WHERE count > \(Self.perSite))
                \(Self.increment(at: now))
            )
            SELECT (SELECT count FROM site), (SELECT window_ends_at FROM site),
                (SELECT count FROM address), (SELECT window_ends_at FROM address),
                (SELECT count FROM account), (SELECT window_ends_at FROM account)
            """,
            in: team
        )
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a row of counts") }
        var charge = Charge(counters: counters)
        let siteCount = try row.next(Int?.self) ?? 0
        charge.siteWindow = try row.next()
        let addressCount = try row.next(Int?.self) ?? 0
        charge.addressWindow = try row.next()
        let accountCount = try row.next(Int?.self) ?? 0
        charge.accountWindow = try row.next()
        if siteCount > Self.perSite {
            charge.lockedUntil = charge.siteWindow
        } else if addressCount > Self.perAddress {
            charge.lockedUntil = charge.addressWindow
        } else if accountCount > Self.perAccount {
            charge.lockedUntil = charge.accountWindow
        }
        charge.isLast = accountCount == Self.perAccount
        return charge
    }

    /// Takes back a try that was right: the account begins anew, its address and site are as they were before.
    func clear(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            WITH \(Self.takingBack(charge, in: team))
            DELETE FROM limits
            WHERE team_id = \(team) AND subject = \(charge.counters.account)
                AND (SELECT count(*) FROM address) >= 0
            """,
            in: team
        )
    }

    /// Takes back a try that was not compared after all.
    func refund(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            WITH \(Self.takingBack(charge, in: team))
            UPDATE limits SET count = GREATEST(count - 1, 0)
            WHERE team_id = \(team) AND subject = \(charge.counters.account)
                AND window_ends_at = \(charge.accountWindow) AND (SELECT count(*) FROM address) >= 0
            """,
            in: team
        )
    }

    /// Writes a row as an audit event would, and changes nothing: the work that an unknown account must cost too.
    func pretend(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            "UPDATE limits SET count = count WHERE team_id = \(team) AND subject = \(charge.counters.account)",
            in: team
        )
    }

    /// A window that is over begins anew.
    ///
    /// The count stops far beyond any limit, where it cannot overflow.
    static func increment(at now: Timestamp) -> SQL {
        """
        ON CONFLICT (team_id, subject) DO UPDATE SET
            count = CASE WHEN \(LimitStore.isOver(at: now)) THEN 1 ELSE LEAST(known.count + 1, 1000000) END,
            window_ends_at = CASE
                WHEN \(LimitStore.isOver(at: now)) THEN excluded.window_ends_at ELSE known.window_ends_at
            END
        RETURNING count, window_ends_at
        """
    }

    /// Parts of a WITH clause; each is read by the next, which makes PostgreSQL run it first: site before address before
    /// account here too.
    private static func takingBack(_ charge: Charge, in team: TeamID) -> SQL {
        """
        site AS (
            \(decrement(charge.counters.site, charge.siteWindow, in: team)) RETURNING 1
        ), address AS (
            \(decrement(charge.counters.address, charge.addressWindow, in: team))
                AND (SELECT count(*) FROM site) >= 0
            RETURNING 1
        )
        """
    }

    private static func decrement(_ subject: String?, _ window: Timestamp?, in team: TeamID) -> SQL {
        """
        UPDATE limits SET count = GREATEST(count - 1, 0)
        WHERE team_id = \(team) AND subject = \(subject) AND window_ends_at = \(window)
        """
    }
}
