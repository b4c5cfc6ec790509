import Directory
import Platform
import Postgres

/// A user as named by the registry file: by the login name.
struct RegisteredUser: Hashable, Sendable {
    let subject: Subject
    let login: LoginName
    let givenName: String
    let familyName: String
    let email: String?

    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        login = try row.next()
        givenName = try row.next()
        familyName = try row.next()
        email = try row.next()
    }
}
