public import Bytes
public import Domain
import Postgres

/// Somebody who was asked to make an account with a team and has not yet.
public struct UserInvitation: Sendable {
    /// How long its link may be used.
    public static let life = Duration.seconds(7 * 86_400)
    /// How many a team may have open: each is a mail to somebody who did not ask for it.
    public static let limit = 100

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
