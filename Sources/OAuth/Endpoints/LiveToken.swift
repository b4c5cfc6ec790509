import Core
import Directory
import Platform

/// A valid token and the data of its user.
struct LiveToken: Sendable {
    let subject: Subject
    let clientID: ClientID
    let name: PersonName?
    let email: SharedEmail?
    let authenticatedAt: Timestamp
    /// Issue time of the refresh token behind it.
    let createdAt: Timestamp
}
