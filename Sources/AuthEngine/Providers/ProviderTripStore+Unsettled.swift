import Bytes
import Directory
import Domain
import Postgres

// Answers whose browser did not come back.
extension ProviderTripStore {
    /// How long after a try that failed the next one comes at the latest.
    private static let longestRest = Duration.seconds(6 * 3600)

    /// Such an answer, with its trip.
    struct Unsettled: Sendable {
        let trip: ProviderTrip
        let answer: ProviderAnswer
        let answeredAt: Timestamp
        /// The same by the clock of the database.
        let arrivedAt: Timestamp
        /// Whether the trip began at an app's request.
        let isForApp: Bool
    }

    /// What is due.
    struct Due: Sendable {
        /// Answers that came before are those nobody came back for.
        let answeredBefore: Timestamp
        let now: Timestamp

        var condition: SQL {
            """
            answered_at < \(answeredBefore) AND settled_at IS NULL AND coalesce(settle_at, answered_at) <= \(now)
            """
        }
    }

    /// Takes some for a while, those first that have waited longest.
    ///
    /// One whose seal cannot be opened is settled by that: nobody will ever read it.
    /// - Returns: also how many there were.
    func claimUnsettled(
        of provider: ProviderID,
        _ due: Due,
        limit: Int,
        in team: TeamID
    ) async throws(PostgresFailure) -> (trips: [Unsettled], count: Int) {
        let rows = try await database.query(
            """
            UPDATE provider_trips AS trip SET claimed_until = \(due.now + claim)
            FROM (
                SELECT state_hash FROM provider_trips
                WHERE team_id = \(team) AND provider = \(provider) AND \(due.condition)
                    AND (claimed_until IS NULL OR claimed_until <= \(due.now))
                ORDER BY coalesce(settle_at, answered_at) LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ) AS unsettled
            WHERE trip.team_id = \(team) AND trip.state_hash = unsettled.state_hash
            RETURNING trip.state_hash, app_id, wants_name, wants_email, answered_at,
                coalesce(arrived_at, answered_at), for_app, answer_sealed
            """,
            in: team
        )
        var unsettled: [Unsettled] = []
        for var row in rows {
            let hash: [UInt8] = try row.next()
            let group: ClientID = try row.next()
            let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
            let (answeredAt, arrivedAt): (Timestamp, Timestamp) = (try row.next(), try row.next())
            let isForApp: Bool = try row.next()
            guard let answer = open(try row.next(), hash, team), let state = answer.state else {
                try await settle(hash, in: team, at: due.now)
                continue
            }
            unsettled.append(
                Unsettled(
                    trip: trips.trip(state, provider, group, scope, team),
                    answer: answer,
                    answeredAt: answeredAt,
                    arrivedAt: arrivedAt,
                    isForApp: isForApp
                )
            )
        }
        return (unsettled, rows.count)
    }

    /// Answers of a team that nobody can come back for any more: what Apple's silence of hours leaves behind at a busy one.
    static let mostWaiting = 10_000

    /// Removes what a team has beyond that, the newest first: anybody can post answers, and they are kept for days.
    func trim(in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) {
        let batch = 1000
        var removed = batch
        while removed == batch {
            removed = try await database.query(
                """
                DELETE FROM provider_trips WHERE team_id = \(team) AND state_hash IN (
                    SELECT state_hash FROM provider_trips
                    WHERE team_id = \(team) AND answered_at IS NOT NULL AND settled_at IS NULL
                        AND created_at < \(moment - ProviderTrip.lifetime)
                    ORDER BY created_at OFFSET \(Self.mostWaiting) LIMIT \(batch)
                )
                """,
                in: team
            ).changed
        }
    }

    /// Who came is recorded, or nobody can be.
    func settle(_ trip: ProviderTrip, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await settle(trip.stateHash, in: team, at: now)
    }

    private func settle(_ hash: [UInt8], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_trips SET settled_at = \(now), claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(hash)
            """,
            in: team
        )
    }

    /// Gives back what cannot be settled now: each time it waits twice as long, so that others have their turn.
    func postpone(_ trip: ProviderTrip, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        let longest = Int(Self.longestRest.components.seconds)
        try await database.query(
            """
            UPDATE provider_trips SET claimed_until = NULL, settle_tries = least(settle_tries + 1, 100),
                settle_at = \(now) + least(60 * 2 ^ least(settle_tries, 20), \(longest)) * interval '1 second'
            WHERE team_id = \(team) AND state_hash = \(trip.stateHash)
            """,
            in: team
        )
    }
}
