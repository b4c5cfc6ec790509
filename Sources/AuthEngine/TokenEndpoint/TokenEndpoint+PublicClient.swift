import Audit
import Bytes
import Domain

// grant_type=refresh_token of a public client: a native app, which can keep no secret.
//
// The token itself is the proof. It changes with each use, and one that was used before ends its session: whoever has it
// has stolen it, or was stolen from (RFC 9700 section 4.14.2).
extension TokenEndpoint {
    /// The answer to a public client; nil when the request is none's, so that the client has to prove itself.
    func refreshPublicly(
        _ parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws -> [UInt8]? {
        guard parameters["client_secret"] == nil, parameters["grant_type"] == "refresh_token",
            let token = parameters["refresh_token"].flatMap(RefreshToken.init), token.secretHash != nil,
            let client = parameters["client_id"].flatMap(ClientID.init).flatMap(team.client), client.isEnabled
        else { return nil }
        let moment = context.clock()
        let next = token.rotated(random: context.random)
        let rotation = RefreshTokenStore.Rotation(
            old: token,
            new: next,
            client: client.id,
            issuedSince: team.tokenRules.cutoff(of: client.id),
            origin: origin,
            at: moment
        )
        guard let holder = try await tokens.rotate(rotation, in: team.id) else { throw Self.deadToken }
        let transferSubject = try await migration.name(
            of: holder.subject,
            for: client.group,
            in: team,
            at: moment
        )
        return try TokenIssuer(team: team, context: context).answer(
            tokenID: next.id,
            refreshToken: next,
            at: moment
        ) { companion in
            TokenIssuer.Claims(
                client: client,
                subject: holder.subject,
                nonce: nil,
                email: holder.email,
                authenticatedAt: holder.authenticatedAt,
                transferSubject: transferSubject,
                companion: companion
            )
        }
    }
}
