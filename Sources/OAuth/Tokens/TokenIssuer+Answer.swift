public import Core

extension TokenIssuer {
    /// The token response for a user (RFC 6749 section 5.1), with a refresh token only when a new one was issued.
    ///
    /// - Parameter more: writes additional members of the endpoint.
    public func answer(
        tokenID: [UInt8], refreshToken: RefreshToken?, at moment: Timestamp,
        more: (inout JSONWriter) -> Void = { _ in }, claims: (BoundValue) -> Claims
    ) throws -> [UInt8] {
        let accessToken = accessToken(for: tokenID, at: moment)
        let idToken = try idToken(claims(.accessToken(accessToken)), at: moment)
        var json = JSONWriter(capacity: 1536)
        json.member("access_token", accessToken)
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        if let refreshToken { json.member("refresh_token", refreshToken.text) }
        json.member("id_token", idToken)
        more(&json)
        return json.finish()
    }
}
