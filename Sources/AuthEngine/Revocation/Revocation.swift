import Bytes
import Crypto
public import Domain

/// The revocation endpoint (RFC 7009, with Apple's effect: the whole authorization ends).
public struct Revocation: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let tokens: RefreshTokenStore
    let consents: ConsentEndStore

    public init(context: EngineContext, database: TeamDatabase, trials: TrialStore) {
        self.context = context
        self.trials = trials
        tokens = RefreshTokenStore(database: database)
        consents = ConsentEndStore(database)
    }

    /// Ends the authorization behind the token, with the codes that wait for their redemption.
    ///
    /// Returning is success: RFC 7009 section 2.2 wants it for unknown, foreign and dead tokens too, and the hint
    /// is only a hint.
    ///
    /// - Throws: `OAuthError` when the client did not prove itself, `PostgresFailure` when nothing was revoked.
    public func respond(
        to parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws {
        let moment = context.clock()
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: moment
        )
        guard let id = tokenID(try parameters.required("token"), of: team, at: moment) else { return }
        if let trial = client.trial {
            return try await tokens.revoke(id, ofTrial: trial, in: team.id, at: moment)
        }
        guard let holder = try await tokens.holder(of: id, client: client.client.id, in: team.id) else {
            return
        }
        try await consents.end(
            of: holder.subject,
            for: holder.group,
            in: team.id,
            by: .client(client.client.id),
            from: origin
        )
    }

    /// The refresh token behind what was sent.
    ///
    /// An access token that has expired is invalid already, and revoking an invalid token has no effect (Apple).
    private func tokenID(_ text: String, of team: TeamSnapshot, at moment: Timestamp) -> [UInt8]? {
        if let token = RefreshToken(text) { return token.id }
        guard let token = AccessToken(text, of: team), token.expiresAt > moment else { return nil }
        return token.refreshTokenID
    }
}
