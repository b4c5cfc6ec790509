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
        if let end = publicEnd(parameters, of: team) {
            return try await self.end(end, in: team.id, from: origin)
        }
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: moment
        )
        let text = try parameters.required("token")
        let token = RefreshToken(text)
        guard let id = token?.id ?? accessTokenID(text, of: team, at: moment) else { return }
        if let trial = client.trial {
            return try await tokens.revoke(id, ofTrial: trial, in: team.id, at: moment)
        }
        try await end(
            End(id: id, secret: token?.secretHash, client: client.client.id),
            in: team.id,
            from: origin
        )
    }

    /// What is to be ended, and by whom.
    private struct End {
        let id: [UInt8]
        let secret: [UInt8]?
        let client: ClientID
    }

    private func end(_ end: End, in team: TeamID, from origin: Origin) async throws {
        let holder = try await tokens.holder(of: end.id, secret: end.secret, client: end.client, in: team)
        guard let holder else { return }
        try await consents.end(
            of: holder.subject,
            for: holder.group,
            in: team,
            by: .client(end.client),
            from: origin,
            isSeen: true
        )
    }

    /// A native app can keep no secret: its refresh token is the proof.
    private func publicEnd(_ parameters: ProtocolParameters, of team: TeamSnapshot) -> End? {
        guard parameters["client_secret"] == nil, let token = parameters["token"].flatMap(RefreshToken.init),
            token.secretHash != nil,
            let client = parameters["client_id"].flatMap(ClientID.init).flatMap(team.client), client.isEnabled
        else { return nil }
        return End(id: token.id, secret: token.secretHash, client: client.id)
    }

    /// The refresh token behind an access token.
    ///
    /// One that has expired is invalid already, and revoking an invalid token has no effect (Apple).
    private func accessTokenID(_ text: String, of team: TeamSnapshot, at moment: Timestamp) -> [UInt8]? {
        guard let token = AccessToken(text, of: team), token.expiresAt > moment else { return nil }
        return token.refreshTokenID
    }
}
