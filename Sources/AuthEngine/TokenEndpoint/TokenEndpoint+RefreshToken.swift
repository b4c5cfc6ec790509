import Domain

// grant_type=refresh_token (RFC 6749 section 6): Apple's kind does not rotate, and no new one is answered.
extension TokenEndpoint {
    func refresh(_ request: Request) async throws -> [UInt8] {
        let text = try request.parameters.required("refresh_token")
        guard let token = RefreshToken(text), token.secretHash == nil else { throw Self.deadToken }
        let holder = try await tokens.use(
            token.id,
            by: request.client.client.id,
            trial: request.client.trial,
            issuedSince: request.issuer.team.tokenRules.cutoff(of: request.client.client.id),
            in: request.team,
            at: request.moment
        )
        guard let holder else { throw Self.deadToken }
        let transferSubject = try await transferSubject(of: holder.subject, request)
        return try request.issuer.answer(
            tokenID: token.id,
            refreshToken: nil,
            at: request.moment,
            claims: { companion in
                TokenIssuer.Claims(
                    client: request.client.client,
                    subject: holder.subject,
                    nonce: nil,
                    email: holder.email,
                    authenticatedAt: holder.authenticatedAt,
                    transferSubject: transferSubject,
                    companion: companion
                )
            }
        )
    }

    static var deadToken: OAuthError {
        OAuthError(
            .invalidGrant,
            "The token has expired or has been revoked.",
            cause: .refreshTokenDead,
            because: "the refresh token is unknown, revoked, cut off, or another client's"
        )
    }
}
