import Audit
import Domain

// grant_type=authorization_code (RFC 6749 section 4.1.3).
extension TokenEndpoint {
    func redeemCode(_ request: Request) async throws -> [UInt8] {
        let refreshToken = RefreshToken(random: context.random)
        let claim = try claim(request, tokenID: refreshToken.id)
        guard let grant = try await codes.redeem(claim, in: request.team, at: request.moment) else {
            throw try await refusal(of: claim, request)
        }
        if request.client.trial == nil {
            await redeemers.note(request.client.client.id, in: request.team, from: request.origin)
        }
        flows.redeem(.redemption(claim, grant, request), of: grant.flow, in: request.team)
        let transferSubject = try await transferSubject(of: grant.subject, request)
        let answer = try request.issuer.answer(
            tokenID: refreshToken.id,
            refreshToken: refreshToken,
            at: request.moment,
            claims: { companion in
                TokenIssuer.Claims(
                    client: request.client.client,
                    subject: grant.subject,
                    nonce: grant.nonce,
                    email: grant.email,
                    authenticatedAt: grant.authenticatedAt,
                    transferSubject: transferSubject,
                    companion: companion
                )
            }
        )
        await tokens.trim(
            after: refreshToken.id,
            of: grant.subject,
            in: request.team,
            from: request.origin,
            log: context.log
        )
        return answer
    }

    /// A verifier without a stored challenge is ignored: client libraries have sent one that nobody asked for.
    private func claim(_ request: Request, tokenID: [UInt8]) throws(OAuthError) -> CodeStore.Claim {
        let text = try request.parameters.required("code")
        guard let code = AuthorizationCode(text) else {
            throw Self.dead(.codeMalformed, because: "the code has not the shape of a code")
        }
        return CodeStore.Claim(
            code: code,
            clientID: request.client.client.id,
            redirectURI: request.parameters["redirect_uri"],
            codeChallenge: request.parameters["code_verifier"].flatMap(PKCE.challenge),
            trial: request.client.trial,
            tokenID: tokenID,
            notBefore: request.issuer.team.tokenRules.cutoff(of: request.client.client.id)
        )
    }

    /// What Apple answers where it does not say more.
    private static func dead(_ cause: RefusalCause, because reason: String) -> OAuthError {
        OAuthError(
            .invalidGrant,
            "The code has expired or has been revoked.",
            cause: cause,
            because: reason
        )
    }

    /// Tells why; a second redemption also revokes what the first one issued (RFC 6749 section 4.1.2).
    private func refusal(of claim: CodeStore.Claim, _ request: Request) async throws -> OAuthError {
        switch try await codes.obstacle(to: claim, in: request.team, at: request.moment) {
        case .unknown: Self.dead(.codeUnknown, because: "the code is not known")
        case .expired:
            Self.dead(.codeExpired, because: "the code is older than five minutes, or than a cut-off")
        case .otherClient:
            OAuthError(
                .invalidGrant,
                "client_id mismatch. The code was not issued to \(claim.clientID).",
                cause: .codeOfOtherClient,
                because: "the code was issued to another client"
            )
        case .otherRedirectURI:
            OAuthError(
                .invalidGrant,
                "redirect_uri mismatch. The code was not issued to \(claim.redirectURI ?? "none").",
                cause: .codeOfOtherReturnURL,
                because: "redirect_uri is not that of the authorization request"
            )
        case .suspended: Self.dead(.personSuspended, because: "the person is suspended")
        case .otherVerifier:
            Self.dead(.codeVerifierWrong, because: "code_verifier does not answer the challenge")
        case .used(let tokenID):
            try await refuseReplay(of: tokenID, request)
        }
    }

    private func refuseReplay(of tokenID: [UInt8], _ request: Request) async throws -> OAuthError {
        let event = AuditEvent(
            "code.replayed",
            by: .client(request.client.client.id),
            on: AuditEvent.Target("client", request.client.client.id.rawValue),
            from: request.origin,
            outcome: .refused
        )
        try await tokens.revoke(tokenID, event: event, in: request.team, at: request.moment)
        return OAuthError(
            .invalidGrant,
            "The code has already been used.",
            cause: .codeUsed,
            because: "the code was redeemed before; its tokens are revoked"
        )
    }
}
