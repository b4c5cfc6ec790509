import Core
public import Platform

/// The introspection endpoint (RFC 7662), absent at Apple: a client queries tokens of its group of apps.
///
/// A token of another group is `active: false`, like an unknown one (section 4: prevention of token scanning).
public struct Introspection: ClientEndpoint {
    let server: ServerContext
    let tokens: LiveTokenStore

    public init(server: ServerContext, database: TeamDatabase) {
        self.server = server
        tokens = LiveTokenStore(database: database)
    }

    /// The state of a token as JSON; `{"active":false}` for any invalid token, without a reason (section 2.2).
    ///
    /// - Throws: `OAuthError` when `token` is missing, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let (caller, team) = (request.client.client, request.team)
        let text = try request.parameters.required("token")
        if let token = RefreshToken(text) {
            return try await describe(token.id, secret: token.secretHash, expiresAt: nil, to: caller, of: team)
        }
        guard let access = AccessToken(text, of: team), access.expiresAt > request.moment else { return Self.inactive }
        switch access.holder {
        case .user(let id): return try await describe(id, expiresAt: access.expiresAt, to: caller, of: team)
        case .client(let digest): return describe(client: digest, expiresAt: access.expiresAt, to: caller, of: team)
        }
    }

    private static let inactive = Array(#"{"active":false}"#.utf8)

    /// - Parameter expiresAt: expiry of an access token; nil for a refresh token.
    private func describe(
        _ refreshTokenID: [UInt8], secret: [UInt8]? = nil, expiresAt: Timestamp?, to caller: Client,
        of team: TeamSnapshot
    ) async throws -> [UInt8] {
        guard let token = try await tokens.find(refreshTokenID, secret: secret, of: team),
            team.client(token.clientID)?.primaryAppID == caller.primaryAppID
        else { return Self.inactive }
        let issuedAt = expiresAt.map { $0 - TokenLifetime.accessToken } ?? token.createdAt
        var json = JSONWriter()
        json.member("active", true)
        json.member("iss", server.base(of: team.id))
        json.member("sub", token.subject.rawValue)
        json.member("client_id", token.clientID.rawValue)
        json.member("aud", token.clientID.rawValue)
        if let expiresAt {
            json.member("token_type", "Bearer")
            json.member("exp", expiresAt.seconds)
        }
        json.member("iat", issuedAt.seconds)
        json.member("auth_time", token.authenticatedAt.seconds)
        return json.finish()
    }

    /// Describes a client's own token, which has no row: valid while its client is enabled, subject to not-befores.
    private func describe(client digest: [UInt8], expiresAt: Timestamp, to caller: Client, of team: TeamSnapshot)
        -> [UInt8]
    {
        let issuedAt = expiresAt - TokenLifetime.accessToken
        guard let client = team.client(named: digest), client.isEnabled, client.primaryAppID == caller.primaryAppID,
            issuedAt >= team.notBefore(of: client.id)
        else { return Self.inactive }
        var json = JSONWriter()
        json.member("active", true)
        json.member("iss", server.base(of: team.id))
        json.member("client_id", client.id.rawValue)
        json.member("scope", Grant.migrationScope)
        json.member("token_type", "Bearer")
        json.member("exp", expiresAt.seconds)
        json.member("iat", issuedAt.seconds)
        return json.finish()
    }
}
