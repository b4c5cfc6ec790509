import Bytes
import Directory
import Domain
import Postgres

// Answers whose browser did not come back.
extension ProviderTripStore {
    /// Such an answer, with its trip.
    struct Unsettled: Sendable {
        let trip: ProviderTrip
        let answer: ProviderAnswer
        let answeredAt: Timestamp
        /// Whether the trip began at an app's request.
        let isForApp: Bool
    }

    /// Teams that have one.
    static func unsettledTeams(
        at moment: Timestamp,
        _ limit: Int,
        in system: SystemDatabase
    ) async throws(PostgresFailure) -> [TeamID] {
        let rows = try await system.query(
            """
            SELECT DISTINCT team_id FROM (
                SELECT team_id FROM provider_trips
                WHERE answered_at < \(moment) AND settled_at IS NULL
                ORDER BY answered_at LIMIT \(limit)
            ) AS unsettled
            """
        )
        var teams: [TeamID] = []
        for var row in rows { teams.append(try row.next()) }
        return teams
    }

    /// Takes some for a while; those whose seal cannot be opened are left.
    func claimUnsettled(
        of provider: ProviderID,
        answeredBefore moment: Timestamp,
        limit: Int,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> [Unsettled] {
        let rows = try await database.query(
            """
            UPDATE provider_trips AS trip SET claimed_until = \(now + Self.claim)
            FROM (
                SELECT state_hash FROM provider_trips
                WHERE team_id = \(team) AND provider = \(provider) AND answered_at < \(moment)
                    AND settled_at IS NULL AND (claimed_until IS NULL OR claimed_until <= \(now))
                ORDER BY answered_at LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ) AS unsettled
            WHERE trip.team_id = \(team) AND trip.state_hash = unsettled.state_hash
            RETURNING trip.state_hash, app_id, wants_name, wants_email, answered_at, for_app, answer_sealed
            """,
            in: team
        )
        var unsettled: [Unsettled] = []
        for var row in rows {
            let hash: [UInt8] = try row.next()
            let group: ClientID = try row.next()
            let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
            let (answeredAt, isForApp): (Timestamp, Bool) = (try row.next(), try row.next())
            guard let answer = open(try row.next(), hash, team), let state = answer.state else { continue }
            unsettled.append(
                Unsettled(
                    trip: trips.trip(state, provider, group, scope, team),
                    answer: answer,
                    answeredAt: answeredAt,
                    isForApp: isForApp
                )
            )
        }
        return unsettled
    }

    /// Who came is recorded, or nobody can be.
    func settle(_ trip: ProviderTrip, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_trips SET settled_at = \(now), claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(trip.stateHash)
            """,
            in: team
        )
    }
}
