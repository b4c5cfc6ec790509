import Core
import Directory
import Platform
import Postgres

/// Reads valid tokens and their users, in one statement each, without changes.
struct LiveTokenStore: Sendable {
    let database: TeamDatabase

    /// Finds a token, unless it is unknown, revoked or excluded by a not-before, its user suspended, its consent ended,
    /// or its client disabled or deleted.
    ///
    /// - Parameter secret: hash that the rotating half of a refresh token must match; nil for an access token.
    func find(_ refreshTokenID: [UInt8], secret: [UInt8]? = nil, of team: TeamSnapshot) async throws(PostgresFailure)
        -> LiveToken?
    {
        let rows = try await database.query(
            """
            SELECT tokens.sub, tokens.client_id, tokens.authenticated_at, tokens.created_at,
                consents.shares_name, consents.given_name, consents.family_name,
                \(RefreshTokenStore.sharedEmail)
            FROM refresh_tokens AS tokens
            JOIN users ON users.team_id = \(team.id) AND users.sub = tokens.sub
            JOIN consents ON consents.team_id = \(team.id) AND consents.sub = tokens.sub
                AND consents.app_id = tokens.app_id
            WHERE tokens.team_id = \(team.id) AND tokens.token_id = \(refreshTokenID)
                AND tokens.revoked_at IS NULL AND users.suspended_at IS NULL
                AND \(RefreshTokenStore.matches(secret))
            """, in: team.id)
        guard var row = rows.first else { return nil }
        let token = try LiveToken(&row)
        guard team.client(token.clientID)?.isEnabled ?? false, token.createdAt >= team.notBefore(of: token.clientID)
        else { return nil }
        return token
    }
}

extension LiveToken {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        clientID = try row.next()
        authenticatedAt = try row.next()
        createdAt = try row.next()
        let sharesName: Bool = try row.next()
        let stored = PersonName(given: try row.next(), family: try row.next())
        name = sharesName ? stored : nil
        email = try SharedEmail.read(&row)
    }
}

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
