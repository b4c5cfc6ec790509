import Bytes
import Directory
import Domain

/// A token that is good now, and whom it stands for.
struct LiveToken: Sendable {
    let subject: Subject
    let clientID: ClientID
    let name: PersonName?
    let email: SharedEmail?
    let authenticatedAt: Timestamp
    /// When the refresh token behind it was issued.
    let createdAt: Timestamp
}
