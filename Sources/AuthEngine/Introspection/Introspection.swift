import Bytes
public import Domain

/// The introspection endpoint (RFC 7662), which Apple does not have: a client asks about the tokens of its App ID group.
///
/// A token of another group is `active: false` to it, as one that never was (section 4: tokens are not to be scanned).
public struct Introspection: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let tokens: LiveTokenStore

    public init(context: EngineContext, database: TeamDatabase, trials: TrialStore) {
        self.context = context
        self.trials = trials
        tokens = LiveTokenStore(database: database)
    }

    /// What a token is worth now, as JSON; whatever is wrong with it, `{"active":false}` is all that is said
    /// (section 2.2).
    ///
    /// - Throws: `OAuthError` when the client did not prove itself, `PostgresFailure`.
    public func respond(to parameters: ProtocolParameters, of team: TeamSnapshot) async throws -> [UInt8] {
        let moment = context.clock()
        let caller = try await ClientAuthentication(at: team, context, trials)
            .authenticate(parameters, at: moment).client
        let text = try parameters.required("token")
        if let token = RefreshToken(text) {
            return try await describe(
                token.id,
                secret: token.secretHash,
                expiresAt: nil,
                to: caller,
                of: team
            )
        }
        guard let access = AccessToken(text, of: team), access.expiresAt > moment else {
            return Self.inactive
        }
        switch access.holder {
        case .user(let id):
            return try await describe(id, expiresAt: access.expiresAt, to: caller, of: team)
        case .client(let digest):
            return describe(client: digest, expiresAt: access.expiresAt, to: caller, of: team)
        }
    }

    private static let inactive = Array(#"{"active":false}"#.utf8)

    /// - Parameter expiresAt: the end of an access token; a refresh token has none.
    private func describe(
        _ refreshTokenID: [UInt8],
        secret: [UInt8]? = nil,
        expiresAt: Timestamp?,
        to caller: Client,
        of team: TeamSnapshot
    ) async throws -> [UInt8] {
        guard let token = try await tokens.find(refreshTokenID, secret: secret, of: team),
            team.client(token.clientID)?.group == caller.group
        else {
            return Self.inactive
        }
        let issuedAt = expiresAt.map { $0 - TokenLifetime.accessToken } ?? token.createdAt
        var json = JSONWriter()
        json.member("active", true)
        json.member("iss", context.base(of: team.id))
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

    /// A client's own token holds no row: it is good while its client is, and was issued since the cut-off.
    private func describe(
        client digest: [UInt8],
        expiresAt: Timestamp,
        to caller: Client,
        of team: TeamSnapshot
    ) -> [UInt8] {
        let issuedAt = expiresAt - TokenLifetime.accessToken
        guard let client = team.client(named: digest), client.isEnabled, client.group == caller.group,
            issuedAt >= team.tokenRules.cutoff(of: client.id)
        else { return Self.inactive }
        var json = JSONWriter()
        json.member("active", true)
        json.member("iss", context.base(of: team.id))
        json.member("client_id", client.id.rawValue)
        json.member("scope", TokenEndpoint.migrationScope)
        json.member("token_type", "Bearer")
        json.member("exp", expiresAt.seconds)
        json.member("iat", issuedAt.seconds)
        return json.finish()
    }
}
