import Bytes
import Crypto
import Domain
import Postgres

/// The mailed links of a team that are invitations, as the team sees them.
struct UserInvitationStore: Sendable {
    let database: TeamDatabase

    /// Holds the team, so that of many invitations at once each counts what the one before it has kept.
    ///
    /// Before the membership, as invitations to the console do: two that wait for one another would be one too many.
    static func hold(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }

    /// Whether the member may invite people now; they can lose neither that right nor their membership until the
    /// transaction has ended.
    static func holdRight(
        of account: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            "SELECT role FROM memberships WHERE team_id = \(team) AND sub = \(account) FOR SHARE"
        )
        guard var row = rows.first else { return false }
        return try row.next(Role.self).rights.contains(.changeUsers)
    }

    /// Who sent the invitation behind a link, or nil when it does not work (any more).
    func inviter(
        of token: LinkToken,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Subject? {
        let rows = try await transaction.query(
            """
            SELECT invited_by FROM mailed_links
            WHERE \(Self.open(in: team, at: now)) AND token_hash = \(token.hash)
            """
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Keeps an invitation under a new link; an earlier link of that address is void.
    ///
    /// Hold the team first.
    /// - Returns: nil when the team has `UserInvitation.limit` of them already.
    func keep(
        _ email: EmailAddress,
        under token: LinkToken,
        as id: InvitationID,
        by account: Subject,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> UserInvitation? {
        let rows = try await transaction.query(
            """
            INSERT INTO mailed_links AS l (
                team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at
            )
            SELECT \(team), \(token.hash), 'invitation', \(email), \(id), \(account), \(now + UserInvitation.life)
            WHERE (SELECT count(*) FROM mailed_links WHERE \(Self.open(in: team, at: now))) < \(UserInvitation.limit)
                OR EXISTS (
                    SELECT FROM mailed_links
                    WHERE team_id = \(team) AND purpose = 'invitation' AND lower(email) = lower(\(email))
                )
            ON CONFLICT (team_id, lower(email)) WHERE purpose = 'invitation' DO UPDATE SET
                token_hash = excluded.token_hash, email = excluded.email, invited_by = excluded.invited_by,
                expires_at = excluded.expires_at
            RETURNING \(UserInvitation.columns)
            """
        )
        return try rows.firstValue(UserInvitation.init)
    }

    /// The open ones, the newest first.
    func list(in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> [UserInvitation] {
        let rows = try await database.query(
            """
            SELECT \(UserInvitation.columns) FROM mailed_links WHERE \(Self.open(in: team, at: now))
            ORDER BY expires_at DESC, invitation_id
            """,
            in: team
        )
        return try rows.all(UserInvitation.init)
    }

    /// An open one, or nil.
    func find(
        _ id: InvitationID,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> UserInvitation? {
        let rows = try await database.query(
            """
            SELECT \(UserInvitation.columns) FROM mailed_links
            WHERE \(Self.open(in: team, at: now)) AND invitation_id = \(id)
            """,
            in: team
        )
        return try rows.firstValue(UserInvitation.init)
    }

    /// Removes it, and tells whether it was there.
    func remove(
        _ id: InvitationID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        try await transaction.query(
            "DELETE FROM mailed_links WHERE team_id = \(team) AND invitation_id = \(id)"
        )
        .changed > 0
    }

    private static func open(in team: TeamID, at now: Timestamp) -> SQL {
        "team_id = \(team) AND purpose = 'invitation' AND expires_at > \(now)"
    }
}
