public import Bytes
public import Domain
import Postgres

/// Somebody who was asked to join a team and has not yet.
public struct Invitation: Sendable {
    /// How long its link may be used.
    public static let life = Duration.seconds(7 * 86_400)
    /// How many a team may have open: each is a mail to somebody who did not ask for it.
    public static let limit = 100

    public let id: InvitationID
    public let email: EmailAddress
    public let role: Role
    /// The console account that invited.
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

    /// Whether its link still works.
    public func isOpen(at moment: Timestamp) -> Bool { moment < expiresAt }
}

/// What the holder of an invitation's link reads before they decide.
public struct OpenInvitation: Sendable {
    public let invitation: Invitation
    public let team: Team
}
