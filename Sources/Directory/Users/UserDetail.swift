public import Bytes
public import Domain
import Postgres

/// What the page of one user shows, the person's own and the team's.
public struct UserDetail: Sendable {
    public let user: User
    public let logins: [LoginName]
    public let hasPassword: Bool
    public let consents: [GrantedApp]
    public let sessions: [SessionSummary]
}

/// A refresh token that an app holds for a person, without the token.
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
