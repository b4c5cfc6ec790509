import Bytes
import Domain
import Postgres

/// Limits on wrong passwords, counted for all nodes together.
///
/// A try is counted before the password is compared and released if it was right, so that concurrent tries cannot
/// exceed the limit.
struct GuessLimitStore: Sendable {
    /// Most wrong passwords in one window: enough for a user who tries several of their own, too few for a list.
    static let perAccount = 10
    static let perAddress = 50
    /// Most wrong passwords per IPv6 site in one window.
    ///
    /// A site has 65,536 networks and may be one household or all customers of a carrier, so it gets more than one
    /// network and far less than all of them.
    static let perSite = LimitSubject.addressesPerSite * perAddress
    static let window = Duration.minutes(15)

    /// Counted try.
    struct Charge: Sendable {
        let counters: GuessCounters
        /// Ends of the windows of the counters that were incremented.
        fileprivate(set) var siteWindow: Timestamp?
        fileprivate(set) var addressWindow: Timestamp?
        fileprivate(set) var accountWindow: Timestamp?
        /// End of the lock; nil if the password may be compared.
        fileprivate(set) var lockedUntil: Timestamp?
        /// Whether this is the last try before the lock.
        fileprivate(set) var isLast = false
    }

    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Counts a try, in one statement.
    ///
    /// The order is always site, address, account, so that two tries never deadlock. A counter beyond its limit stops
    /// the later ones: a rejected address uses up nothing of other users' accounts, else it could lock out all users,
    /// and a rejected site nothing of its addresses.
    func charge(_ counters: GuessCounters, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> Charge {
        let end = now + Self.window
        let rows = try await database.query(
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
            """, in: team, durability: .relaxed)
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

    /// Releases a right try: deletes the account's counter and decrements those of the address and its site.
    func clear(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH \(Self.takingBack(charge, in: team))
            DELETE FROM limits
            WHERE team_id = \(team) AND subject = \(charge.counters.account)
                AND (SELECT count(*) FROM address) >= 0
            """, in: team, durability: .relaxed)
    }

    /// Releases a try that was not compared.
    func release(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH \(Self.takingBack(charge, in: team))
            UPDATE limits SET count = GREATEST(count - 1, 0)
            WHERE team_id = \(team) AND subject = \(charge.counters.account)
                AND window_ends_at = \(charge.accountWindow) AND (SELECT count(*) FROM address) >= 0
            """, in: team, durability: .relaxed)
    }

    /// Writes a row as an audit event would and changes nothing, so that an unknown account costs as much.
    func simulateCost(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            "UPDATE limits SET count = count WHERE team_id = \(team) AND subject = \(charge.counters.account)",
            in: team, durability: .relaxed)
    }

    /// Upsert clause that increments a counter, or restarts one whose window has ended.
    ///
    /// The count is capped far beyond any limit, so that it cannot overflow.
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

    /// Parts of a WITH clause that decrement the counters of the site and the address.
    ///
    /// Each part is read by the next, so that PostgreSQL locks site, address and account in that order here too.
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
