public import Core
public import Platform
import Postgres

/// An invitation to a team that has not been accepted.
public struct Invitation: Sendable {
    /// How long its link is valid.
    public static let life = Duration.seconds(7 * 86_400)

    public let id: InvitationID
    public let email: EmailAddress
    public let role: Role
    /// The console account that sent the invitation.
    public let invitedBy: Subject
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    static let columns: SQL = "invitation_id, email, role, invited_by, created_at, expires_at"

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        email = try row.next()
        role = try row.next()
        invitedBy = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
    }

    /// Whether its link is still valid.
    public func isOpen(at moment: Timestamp) -> Bool { moment < expiresAt }
}

/// An invitation with its team, shown to the holder of the link before they decide.
public struct OpenInvitation: Sendable {
    public let invitation: Invitation
    public let team: Team
}
