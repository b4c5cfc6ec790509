import Bytes
import Crypto
import Domain
import Postgres

/// Counts wrong codes, for all nodes together.
///
/// As with passwords a try is counted before it is compared. Whoever gets here knows the password, so a person can
/// be held up by nobody else.
struct FactorLimitStore: Sendable {
    /// Codes in one sign-in, or in one session that proves itself once more: room for a slip and a slow clock.
    static let perAttempt = 5
    /// In one hour, however many sign-ins: a million codes would take years.
    static let perPerson = 20
    static let window = Duration.minutes(60)

    /// A try that has been counted.
    struct Charge: Sendable {
        fileprivate let attempt: String
        fileprivate let person: String
        /// Whether this very sign-in has had its tries.
        let isAttemptOver: Bool
        /// Until when nothing is compared any more, or nil when this try may be.
        let lockedUntil: Timestamp?
        let isLast: Bool
    }

    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Counts a try, in one statement; an attempt beyond its limit counts against the person no further.
    func charge(
        _ subject: Subject,
        attempt: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Charge {
        let keys = (
            Self.key("attempt", subject.rawValue + "\n" + attempt), Self.key("person", subject.rawValue)
        )
        let end = now + Self.window
        let rows = try await database.queryRelaxed(
            """
            WITH attempt AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                VALUES (\(team), \(keys.0), \(end), 1)
                \(GuessLimitStore.increment(at: now))
            ), person AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                SELECT \(team), \(keys.1), \(end), 1
                WHERE NOT EXISTS (SELECT FROM attempt WHERE count > \(Self.perAttempt))
                \(GuessLimitStore.increment(at: now))
            )
            SELECT (SELECT count FROM attempt), (SELECT count FROM person),
                (SELECT window_ends_at FROM attempt), (SELECT window_ends_at FROM person)
            """,
            in: team
        )
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a row of counts") }
        let (attemptCount, personCount): (Int, Int?) = (try row.next(), try row.next())
        let (attemptEnd, personEnd): (Timestamp?, Timestamp?) = (try row.next(), try row.next())
        let isAttemptOver = attemptCount > Self.perAttempt
        let isLocked = (personCount ?? 0) > Self.perPerson
        return Charge(
            attempt: keys.0,
            person: keys.1,
            isAttemptOver: isAttemptOver,
            lockedUntil: isAttemptOver ? attemptEnd : isLocked ? personEnd : nil,
            isLast: attemptCount == Self.perAttempt || personCount == Self.perPerson
        )
    }

    /// Takes back a try that was right: both counts begin anew.
    func clear(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            "DELETE FROM limits WHERE team_id = \(team) AND subject IN (\(charge.attempt), \(charge.person))",
            in: team
        )
    }

    private static func key(_ kind: String, _ text: String) -> String {
        "factor.\(kind)." + Base64URL.encode(SHA256.hash(text))
    }
}
