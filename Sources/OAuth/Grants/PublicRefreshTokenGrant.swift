import Core
import Platform

// grant_type=refresh_token of a public client: a native app, which cannot keep a secret.
//
// The token itself is the proof. It is rotated at each use, and the reuse of an earlier one ends its session, because
// one of its two holders has stolen it (RFC 9700 section 4.14.2).
extension Grant {
    /// Tokens for a rotating refresh token.
    static func publicRefreshToken(_ services: GrantServices) -> Grant {
        Grant("refresh_token", proof: .rotatingToken(parameter: "refresh_token")) { request in
            guard case .rotatingToken(let token) = request.client.proof else { throw deadToken }
            return try await rotate(token, request, services)
        }
    }

    private static func rotate(_ token: RefreshToken, _ request: AuthenticatedRequest, _ services: GrantServices)
        async throws -> [UInt8]
    {
        let (client, team, moment) = (request.client.client, request.team, request.moment)
        let next = token.rotated(random: services.server.random)
        let rotation = RefreshTokenStore.Rotation(
            old: token, new: next, client: client.id, issuedSince: team.tokenRules.notBefore(of: client.id),
            origin: request.origin, at: moment)
        guard let holder = try await services.tokens.rotate(rotation, in: team.id) else { throw deadToken }
        let transferSubject = try await services.transferSubject(of: holder.subject, request)
        return try services.issuer(of: request).answer(tokenID: next.id, refreshToken: next, at: moment) { boundTo in
            TokenIssuer.Claims(
                client: client, subject: holder.subject, nonce: nil, email: holder.email,
                authenticatedAt: holder.authenticatedAt, transferSubject: transferSubject, boundTo: boundTo)
        }
    }
}
