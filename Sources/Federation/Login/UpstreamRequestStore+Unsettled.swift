import Core
import Directory
import OAuth
import Platform
import Postgres

// Answers whose browser did not return.
extension UpstreamRequestStore {
    /// Maximum time between a failed attempt to settle an answer and the next one.
    private static let longestRest = Duration.seconds(6 * 3600)

    /// Answer whose browser did not return, with its upstream request.
    struct Unsettled: Sendable {
        let upstreamRequest: UpstreamRequest
        let answer: UpstreamResponse
        let answeredAt: Timestamp
        /// Time of arrival by the database's clock.
        let arrivedAt: Timestamp
        /// Whether the upstream request began with an app's authorization request.
        let isForApp: Bool
    }

    /// Condition for answers that are due to be settled.
    struct Due: Sendable {
        /// Time before which an answer must have arrived for its browser to count as not returning.
        let answeredBefore: Timestamp
        let now: Timestamp

        var condition: SQL {
            """
            answered_at < \(answeredBefore) AND settled_at IS NULL AND coalesce(settle_at, answered_at) <= \(now)
            """
        }
    }

    /// Claims due answers for a limited time, those that have waited longest first.
    ///
    /// An answer whose seal cannot be opened is marked as settled, because it can never be read.
    /// - Returns: the answers, and the number of rows claimed.
    func claimUnsettled(of provider: ProviderID, _ due: Due, limit: Int, in team: TeamID) async throws(PostgresFailure)
        -> (upstreamRequests: [Unsettled], count: Int)
    {
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
            """, in: team)
        var unsettled: [Unsettled] = []
        for var row in rows {
            let hash: [UInt8] = try row.next()
            let primaryAppID: ClientID = try row.next()
            let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
            let (answeredAt, arrivedAt): (Timestamp, Timestamp) = (try row.next(), try row.next())
            let isForApp: Bool = try row.next()
            guard let answer = open(try row.next(), hash, team), let state = answer.state else {
                try await settle(hash, in: team, at: due.now)
                continue
            }
            unsettled.append(
                Unsettled(
                    upstreamRequest: upstreamRequests.upstreamRequest(state, provider, primaryAppID, scope, team),
                    answer: answer, answeredAt: answeredAt, arrivedAt: arrivedAt, isForApp: isForApp))
        }
        return (unsettled, rows.count)
    }

    /// Deletes a team's answers beyond `most`, newest first, because any client can post answers and they are
    /// kept for days.
    func trim(
        in team: TeamID, at moment: Timestamp, keeping most: Int = Quota.unsettledRequests.count, batch: Int = 1000
    ) async throws(PostgresFailure) {
        var removed = batch
        while removed == batch {
            removed = try await database.query(
                """
                DELETE FROM provider_trips WHERE team_id = \(team) AND state_hash IN (
                    SELECT state_hash FROM provider_trips
                    WHERE team_id = \(team) AND answered_at IS NOT NULL AND settled_at IS NULL
                        AND created_at < \(moment - UpstreamRequest.lifetime)
                    ORDER BY created_at OFFSET \(most) LIMIT \(batch)
                )
                """, in: team
            ).changed
        }
    }

    /// Marks an answer as settled: its user is recorded, or cannot be identified.
    func settle(_ upstreamRequest: UpstreamRequest, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await settle(upstreamRequest.stateHash, in: team, at: now)
    }

    private func settle(_ hash: [UInt8], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_trips SET settled_at = \(now), claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(hash)
            """, in: team)
    }

    /// Releases an answer that cannot be settled now; its delay doubles each time, so that others have their turn.
    func postpone(_ upstreamRequest: UpstreamRequest, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
    {
        let longest = Int(Self.longestRest.components.seconds)
        try await database.query(
            """
            UPDATE provider_trips SET claimed_until = NULL, settle_tries = least(settle_tries + 1, 100),
                settle_at = \(now) + least(60 * 2 ^ least(settle_tries, 20), \(longest)) * interval '1 second'
            WHERE team_id = \(team) AND state_hash = \(upstreamRequest.stateHash)
            """, in: team)
    }
}
