public import Core
public import Platform
import Postgres

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
