import Core
import Crypto
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

/// Ends an app's sessions of a user and the sessions at the hosted pages they came from; the consent remains, and the
/// next sign-in does not ask for it again.
public struct SignOut: ClientEndpoint {
    let ends: AuthorizationEndStore

    public init(ends: AuthorizationEndStore) { self.ends = ends }

    /// Ends the session behind `refresh_token`, or without that parameter all sessions of `sub` with the client's group
    /// of apps.
    ///
    /// Returning is success, as with revocation: an ended session needs no further action.
    ///
    /// - Throws: `OAuthError` when `sub` is missing, `PostgresFailure` when nothing was ended.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let sub = try request.parameters.required("sub")
        guard let subject = Subject(rawValue: sub) else { return [] }
        var token: RefreshToken?
        if let text = request.parameters["refresh_token"] {
            token = RefreshToken(text)
            guard token != nil else { return [] }
        }
        try await ends.signOut(
            subject, of: request.client, token: token, in: request.team.id, from: request.origin, at: request.moment)
        return []
    }
}
