public import Core

extension TokenIssuer {
    /// The token response for a user (RFC 6749 section 5.1).
    ///
    /// - Parameters:
    ///   - isNew: whether the refresh token was issued just now; otherwise it is not in the response.
    ///   - more: writes additional members of the endpoint.
    public func answer(
        _ claims: Claims, under refreshToken: RefreshToken, isNew: Bool = true, at moment: Timestamp,
        more: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let accessToken = accessToken(for: refreshToken.id, at: moment)
        let idToken = try await idToken(claims, boundTo: .accessToken(accessToken), at: moment)
        var json = JSONWriter(capacity: 1536)
        json.member("access_token", accessToken)
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        if isNew { json.member("refresh_token", refreshToken.text) }
        json.member("id_token", idToken)
        more(&json)
        return json.finish()
    }
}
