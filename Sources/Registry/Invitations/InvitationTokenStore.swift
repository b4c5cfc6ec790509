import Core
import Crypto
import Platform
import Postgres

/// Finds the team and the invitation of a link's token, and nothing else.
struct InvitationTokenStore: Sendable {
    private let database: SystemDatabase

    init(_ database: SystemDatabase) { self.database = database }

    func find(_ token: LinkToken, at now: Timestamp) async throws(PostgresFailure) -> (
        team: TeamID, invitation: InvitationID
    )? {
        let rows = try await database.query(
            """
            SELECT i.team_id, i.invitation_id FROM invitations i JOIN teams t ON t.team_id = i.team_id
            WHERE i.token_hash = \(token.hash) AND i.expires_at > \(now)
                AND coalesce(t.closed_at, t.deleted_at) IS NULL
            """)
        guard var row = rows.first else { return nil }
        return (try row.next(), try row.next())
    }
}
