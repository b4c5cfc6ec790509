import Core

// grant_type=client_credentials (RFC 6749 section 4.4), at Apple only for the migration of users.
extension Grant {
    /// The only scope of a client's own tokens.
    static let migrationScope = "user.migration"

    /// A token of the client itself.
    static func clientCredentials(_ services: GrantServices) -> Grant {
        Grant("client_credentials") { request in try answer(request, services.issuer(of: request)) }
    }

    private static func answer(_ request: AuthenticatedRequest, _ issuer: TokenIssuer) throws -> [UInt8] {
        guard request.client.testSignIn == nil else {
            throw OAuthError(.unauthorizedClient, cause: .testMayNot, because: "a trial moves no users")
        }
        guard let scope = request.parameters["scope"], scope.isExactly(migrationScope) else {
            throw OAuthError(.invalidScope, cause: .migrationScopeWanted, because: "scope is not \(migrationScope)")
        }
        var json = JSONWriter(capacity: 256)
        json.member("access_token", issuer.accessToken(for: request.client.id, at: request.moment))
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        return json.finish()
    }
}
