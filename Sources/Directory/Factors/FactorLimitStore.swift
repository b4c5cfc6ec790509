import Bytes
import Crypto
import Domain
import Postgres

/// Limits on wrong codes, counted for all nodes together.
///
/// A try is counted before it is compared, as for passwords. Only a client that knows the password gets here, so no
/// other client can lock the user.
struct FactorLimitStore: Sendable {
    /// Most codes in one interaction, or one session that reauthenticates: allows for a typing error and a slow clock.
    static let perInteraction = 5
    /// Most codes of a user in one hour, over all interactions: a million codes would take years.
    static let perPerson = 20
    static let window = Duration.minutes(60)

    /// Counted try.
    struct Charge: Sendable {
        fileprivate let interaction: String
        fileprivate let person: String
        /// Whether this interaction has used up its tries.
        let isInteractionExpired: Bool
        /// End of the lock; nil if the code may be compared.
        let lockedUntil: Timestamp?
        let isLast: Bool
    }

    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Counts a try, in one statement; one beyond the interaction's limit does not count against the user.
    func charge(_ subject: Subject, interaction: String, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Charge
    {
        let keys = (Self.key("attempt", subject.rawValue + "\n" + interaction), Self.key("person", subject.rawValue))
        let end = now + Self.window
        let rows = try await database.query(
            """
            WITH attempt AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                VALUES (\(team), \(keys.0), \(end), 1)
                \(GuessLimitStore.increment(at: now))
            ), person AS (
                INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
                SELECT \(team), \(keys.1), \(end), 1
                WHERE NOT EXISTS (SELECT FROM attempt WHERE count > \(Self.perInteraction))
                \(GuessLimitStore.increment(at: now))
            )
            SELECT (SELECT count FROM attempt), (SELECT count FROM person),
                (SELECT window_ends_at FROM attempt), (SELECT window_ends_at FROM person)
            """, in: team, durability: .relaxed)
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a row of counts") }
        let (attemptCount, personCount): (Int, Int?) = (try row.next(), try row.next())
        let (interactionEnd, personEnd): (Timestamp?, Timestamp?) = (try row.next(), try row.next())
        let isInteractionExpired = attemptCount > Self.perInteraction
        let isLocked = (personCount ?? 0) > Self.perPerson
        return Charge(
            interaction: keys.0, person: keys.1, isInteractionExpired: isInteractionExpired,
            lockedUntil: isInteractionExpired ? interactionEnd : isLocked ? personEnd : nil,
            isLast: attemptCount == Self.perInteraction || personCount == Self.perPerson)
    }

    /// Releases a right try by deleting both counters.
    func clear(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            "DELETE FROM limits WHERE team_id = \(team) AND subject IN (\(charge.interaction), \(charge.person))",
            in: team, durability: .relaxed)
    }

    private static func key(_ kind: String, _ text: String) -> String {
        "factor.\(kind)." + Base64URL.encode(SHA256.hash(text))
    }
}
