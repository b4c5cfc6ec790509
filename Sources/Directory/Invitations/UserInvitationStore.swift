public import Core
import Crypto
public import Platform
public import Postgres

/// Invitations of a team, stored as mailed links, in the caller's transaction.
public enum UserInvitationStore {
    /// Whether the member may invite users; the membership and its role are locked until the transaction ends.
    static func holdRight(of account: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    {
        let roles: [Role] = try await transaction.query(
            "SELECT role FROM memberships WHERE team_id = \(team) AND sub = \(account) FOR SHARE"
        ).column()
        return roles.contains { $0.rights.contains(.changeUsers) }
    }

    /// Member who sent the invitation of a link; nil if the link is not valid (any more).
    static func inviter(of token: LinkToken, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Subject?
    {
        let rows = try await transaction.query(
            "SELECT invited_by FROM mailed_links WHERE \(open(in: team, at: now)) AND token_hash = \(token.hash)")
        return try rows.firstValue()
    }

    /// Stores an invitation under a new link and invalidates an earlier link to that address.
    ///
    /// Lock the team first.
    ///
    /// - Returns: nil if the team has as many open invitations as it may.
    static func keep(
        _ email: EmailAddress, under token: LinkToken, as id: InvitationID, by account: Subject, at now: Timestamp,
        _ change: borrowing Change
    ) async throws(PostgresFailure) -> UserInvitation? {
        let team = change.team
        let others: SQL = "mailed_links WHERE \(open(in: team, at: now)) AND lower(email) <> lower(\(email))"
        guard try await Quota.userInvitations.hasRoom(beside: others, change) else { return nil }
        let rows = try await change.query(
            """
            INSERT INTO mailed_links AS l (
                team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at
            ) VALUES (
                \(team), \(token.hash), 'invitation', \(email), \(id), \(account), \(now + UserInvitation.life)
            )
            ON CONFLICT (team_id, lower(email)) WHERE purpose = 'invitation' DO UPDATE SET
                token_hash = excluded.token_hash, email = excluded.email, invited_by = excluded.invited_by,
                expires_at = excluded.expires_at
            RETURNING \(UserInvitation.columns)
            """)
        return try rows.firstValue(UserInvitation.init)
    }

    /// Deletes the invitations that a member made, in the transaction in which the member loses that right.
    public static func removeAll(by member: Subject, _ change: borrowing Change) async throws(PostgresFailure)
        -> [InvitationID]
    {
        try await change.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(change.team) AND purpose = 'invitation' AND invited_by = \(member)
            RETURNING invitation_id
            """
        ).column()
    }

    /// Condition for invitations whose link is valid.
    static func open(in team: TeamID, at now: Timestamp) -> SQL {
        "team_id = \(team) AND purpose = 'invitation' AND expires_at > \(now)"
    }
}

/// Pending invitation to create an account with a team.
public struct UserInvitation: Sendable {
    /// Lifetime of the link.
    public static let life = Duration.seconds(7 * 86_400)

    public let id: InvitationID
    public let email: EmailAddress
    public let expiresAt: Timestamp

    static let columns: SQL = "invitation_id, email, expires_at"

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        email = try row.next()
        expiresAt = try row.next()
    }
}
