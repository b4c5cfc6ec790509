import Core
public import Platform

/// The revocation endpoint (RFC 7009, with Apple's effect: the whole authorization ends).
public struct Revocation: ClientEndpoint {
    let tokens: RefreshTokenStore
    let ends: AuthorizationEndStore

    public init(database: TeamDatabase, ends: AuthorizationEndStore) {
        tokens = RefreshTokenStore(database: database)
        self.ends = ends
    }

    /// The proof of a native app is the refresh token that it revokes.
    public func proof(for parameters: ProtocolParameters) -> ClientProof { .secretOrRotatingToken(in: "token") }

    /// Ends the authorization behind the token, including unredeemed codes.
    ///
    /// Returning is success: RFC 7009 section 2.2 requires it also for unknown tokens, tokens of other clients and
    /// revoked tokens, and the token type hint is only a hint.
    ///
    /// - Throws: `OAuthError` when `token` is missing, `PostgresFailure` when nothing was revoked.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let (client, team) = (request.client, request.team)
        let text = try request.parameters.required("token")
        let token = RefreshToken(text)
        guard let id = token?.id ?? accessTokenID(text, of: team, at: request.moment) else { return [] }
        if let testSignIn = client.testSignIn {
            try await ends.revoke(id, ofTestSignIn: testSignIn, in: team.id, at: request.moment)
            return []
        }
        let holder = try await tokens.holder(of: id, secret: token?.secretHash, client: client.id, in: team.id)
        guard let holder else { return [] }
        try await ends.endConsent(
            of: holder.subject, for: holder.primaryAppID, in: team.id, by: .client(client.id), from: request.origin,
            isSeen: true)
        return []
    }

    /// The id of the refresh token behind an access token.
    ///
    /// Nil for an expired one: it is invalid already, and revoking an invalid token has no effect (Apple).
    private func accessTokenID(_ text: String, of team: TeamSnapshot, at moment: Timestamp) -> [UInt8]? {
        guard let token = AccessToken(text, of: team), token.expiresAt > moment else { return nil }
        return token.refreshTokenID
    }
}
