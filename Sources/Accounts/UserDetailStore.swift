public import Core
public import Directory
public import OAuth
public import Platform
public import Postgres

/// Reads the data of one user, for the account page and the team's page of the user.
public struct UserDetailStore: Sendable {
    /// Most tokens in a list, which shows the newest.
    public static let listLimit = 100

    private let database: TeamDatabase
    private let sessions: SessionStore
    private let consents: ConsentListStore

    public init(_ database: TeamDatabase) {
        self.database = database
        sessions = SessionStore(database)
        consents = ConsentListStore(database)
    }

    /// User with consents and sessions, or nil if the team has no user with that `sub`.
    public func find(_ subject: Subject, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> UserDetail?
    {
        let rows = try await database.query(
            """
            SELECT \(UserStore.columns),
                ARRAY (
                    SELECT login FROM login_names l WHERE l.team_id = u.team_id AND l.sub = u.sub ORDER BY login
                ),
                EXISTS (SELECT FROM passwords p WHERE p.team_id = u.team_id AND p.sub = u.sub)
            FROM users u
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            """, in: team)
        guard var row = rows.first else { return nil }
        return UserDetail(
            user: try User(&row), logins: try row.next([String].self).compactMap(LoginName.init),
            hasPassword: try row.next(), consents: try await consents.list(of: subject, in: team),
            sessions: try await sessions.list(of: subject, in: team, at: now))
    }

    /// Valid refresh tokens that apps have for a user, newest first.
    ///
    /// For the team only: the user's own pages show apps but no tokens, and do not read them.
    public func refreshTokens(of subject: Subject, in team: TeamID) async throws(PostgresFailure)
        -> [RefreshTokenSummary]
    {
        let rows = try await database.query(
            """
            SELECT encode(token_id, 'hex'), client_id, app_id, created_at, last_used_at, revoked_at
            FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND test_sign_in_id IS NULL AND revoked_at IS NULL
            ORDER BY created_at DESC, token_id
            LIMIT \(Self.listLimit)
            """, in: team)
        return try rows.all(RefreshTokenSummary.init)
    }
}

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
