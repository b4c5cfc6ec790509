public import Core
public import Directory
public import OAuth
public import Platform
import Postgres

/// Data of one user, for the account page and the team's page of the user.
public struct UserDetail: Sendable {
    public let user: User
    public let logins: [LoginName]
    public let hasPassword: Bool
    public let consents: [GrantedApp]
    public let sessions: [SessionSummary]
}

/// Refresh token that an app has for a user, without the token itself.
public struct RefreshTokenSummary: Sendable {
    public let id: RefreshTokenID
    public let client: ClientID
    /// The primary App ID of the client's group.
    public let appID: ClientID
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp
    public let revokedAt: Timestamp?

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        client = try row.next()
        appID = try row.next()
        createdAt = try row.next()
        lastUsedAt = try row.next()
        revokedAt = try row.next()
    }
}
