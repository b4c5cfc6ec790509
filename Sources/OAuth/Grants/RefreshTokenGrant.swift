import Platform

// grant_type=refresh_token (RFC 6749 section 6).
extension Grant {
    /// Tokens for a refresh token.
    ///
    /// Like Apple's, the token of a client with a secret is not rotated, and no new one is returned. That of a native
    /// app, which cannot keep a secret, is itself the proof: it is rotated at each use, and the reuse of an earlier one
    /// ends its session, because one of its two holders has stolen it (RFC 9700 section 4.14.2).
    static func refreshToken(_ services: GrantServices) -> Grant {
        Grant("refresh_token", proof: .secretOrRotatingToken(in: "refresh_token")) { request in
            if case .rotatingToken(let token) = request.client.proof {
                return try await rotate(token, request, services)
            }
            return try await refresh(request, services)
        }
    }

    private static func refresh(_ request: AuthenticatedRequest, _ services: GrantServices) async throws -> [UInt8] {
        let text = try request.parameters.required("refresh_token")
        guard let token = RefreshToken(text), token.secretHash == nil else { throw deadToken }
        let holder = try await services.tokens.use(
            token.id, by: request.client.id, testSignIn: request.client.testSignIn,
            issuedSince: request.team.tokenRules.notBefore(of: request.client.id), in: request.team.id,
            at: request.moment)
        return try await services.issuer(of: request).answer(
            try claims(of: holder, request), under: token, isNew: false, at: request.moment)
    }

    private static func rotate(_ token: RefreshToken, _ request: AuthenticatedRequest, _ services: GrantServices)
        async throws -> [UInt8]
    {
        let next = token.rotated(random: services.server.random)
        let rotation = RefreshTokenStore.Rotation(
            old: token, new: next, client: request.client.id,
            issuedSince: request.team.tokenRules.notBefore(of: request.client.id), origin: request.origin,
            at: request.moment)
        let holder = try await services.tokens.rotate(rotation, in: request.team.id)
        return try await services.issuer(of: request).answer(
            try claims(of: holder, request), under: next, at: request.moment)
    }

    /// - Parameter holder: nil for a token that is not live.
    private static func claims(of holder: RefreshTokenStore.Holder?, _ request: AuthenticatedRequest) throws(OAuthError)
        -> TokenIssuer.Claims
    {
        guard let holder else { throw deadToken }
        return TokenIssuer.Claims(
            client: request.client.client, subject: holder.subject, nonce: nil, email: holder.email,
            authenticatedAt: holder.authenticatedAt)
    }

    private static var deadToken: OAuthError {
        OAuthError(
            .invalidGrant, "The token has expired or has been revoked.", cause: .refreshTokenDead,
            because: "the refresh token is unknown, revoked, cut off, or another client's")
    }
}
