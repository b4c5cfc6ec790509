import Bytes

// grant_type=client_credentials (RFC 6749 section 4.4): Apple knows it for the migration of users alone.
extension TokenEndpoint {
    /// The one scope a client may have for itself.
    static let migrationScope = "user.migration"

    func answerClient(_ request: Request) throws -> [UInt8] {
        guard request.client.trial == nil else {
            throw OAuthError(.unauthorizedClient, cause: .trialMayNot, because: "a trial moves no users")
        }
        guard let scope = request.parameters["scope"], scope.isExactly(Self.migrationScope) else {
            throw OAuthError(
                .invalidScope,
                cause: .migrationScopeWanted,
                because: "scope is not \(Self.migrationScope)"
            )
        }
        var json = JSONWriter(capacity: 256)
        json.member(
            "access_token",
            request.issuer.accessToken(for: request.client.client.id, at: request.moment)
        )
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        return json.finish()
    }
}
