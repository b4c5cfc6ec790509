import Platform

// grant_type=refresh_token (RFC 6749 section 6): like Apple's, the token is not rotated, and no new one is returned.
extension Grant {
    /// Tokens for a refresh token of a client with a secret.
    static func refreshToken(_ services: GrantServices) -> Grant {
        Grant("refresh_token") { request in try await refresh(request, services) }
    }

    private static func refresh(_ request: AuthenticatedRequest, _ services: GrantServices) async throws -> [UInt8] {
        let text = try request.parameters.required("refresh_token")
        guard let token = RefreshToken(text), token.secretHash == nil else { throw deadToken }
        let holder = try await services.tokens.use(
            token.id, by: request.client.client.id, testSignIn: request.client.testSignIn,
            issuedSince: request.team.tokenRules.notBefore(of: request.client.client.id), in: request.team.id,
            at: request.moment)
        guard let holder else { throw deadToken }
        let transferSubject = try await services.transferSubject(of: holder.subject, request)
        return try services.issuer(of: request).answer(
            tokenID: token.id, refreshToken: nil, at: request.moment,
            claims: { boundTo in
                TokenIssuer.Claims(
                    client: request.client.client, subject: holder.subject, nonce: nil, email: holder.email,
                    authenticatedAt: holder.authenticatedAt, transferSubject: transferSubject, boundTo: boundTo)
            })
    }

    static var deadToken: OAuthError {
        OAuthError(
            .invalidGrant, "The token has expired or has been revoked.", cause: .refreshTokenDead,
            because: "the refresh token is unknown, revoked, cut off, or another client's")
    }
}
