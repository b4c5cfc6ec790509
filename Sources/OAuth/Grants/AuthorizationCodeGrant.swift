import Platform

// grant_type=authorization_code (RFC 6749 section 4.1.3).
extension Grant {
    /// Tokens for an authorization code.
    static func authorizationCode(_ services: GrantServices) -> Grant {
        Grant("authorization_code") { try await AuthorizationCodeGrant(services: services).redeem($0) }
    }
}

private struct AuthorizationCodeGrant: Sendable {
    let services: GrantServices

    func redeem(_ request: AuthenticatedRequest) async throws -> [UInt8] {
        let refreshToken = RefreshToken(random: services.server.random)
        let claim = try claim(request, tokenID: refreshToken.id)
        guard let grant = try await services.codes.redeem(claim, in: request.team.id, at: request.moment) else {
            throw try await refusal(of: claim, request)
        }
        if request.client.testSignIn == nil {
            await services.redeemers.note(request.client.client.id, in: request.team.id, from: request.origin)
        }
        services.traces.redeem(
            .redemption(claim, grant, request, issuer: services.issuer(of: request)), of: grant.interactions,
            in: request.team.id)
        let transferSubject = try await services.transferSubject(of: grant.subject, request)
        let answer = try services.issuer(of: request).answer(
            tokenID: refreshToken.id, refreshToken: refreshToken, at: request.moment,
            claims: { boundTo in
                TokenIssuer.Claims(
                    client: request.client.client, subject: grant.subject, nonce: grant.nonce, email: grant.email,
                    authenticatedAt: grant.authenticatedAt, transferSubject: transferSubject, boundTo: boundTo)
            })
        await services.tokens.trim(
            after: refreshToken.id, of: grant.subject, in: request.team.id, from: request.origin,
            log: services.server.log)
        return answer
    }

    /// Reads the claim; a verifier without a stored challenge is ignored, because client libraries have sent such.
    private func claim(_ request: AuthenticatedRequest, tokenID: [UInt8]) throws(OAuthError) -> CodeStore.Claim {
        let text = try request.parameters.required("code")
        guard let code = AuthorizationCode(text) else {
            throw Self.dead(.codeMalformed, because: "the code has not the shape of a code")
        }
        return CodeStore.Claim(
            code: code, clientID: request.client.client.id, redirectURI: request.parameters["redirect_uri"],
            codeChallenge: request.parameters["code_verifier"].flatMap(PKCE.challenge),
            testSignIn: request.client.testSignIn, tokenID: tokenID,
            notBefore: request.team.tokenRules.notBefore(of: request.client.client.id))
    }

    /// The error with Apple's general description.
    private static func dead(_ cause: RefusalCause, because reason: String) -> OAuthError {
        OAuthError(.invalidGrant, "The code has expired or has been revoked.", cause: cause, because: reason)
    }

    /// The reason as an error; a second redemption also revokes the tokens of the first (RFC 6749 section 4.1.2).
    private func refusal(of claim: CodeStore.Claim, _ request: AuthenticatedRequest) async throws -> OAuthError {
        switch try await services.codes.obstacle(to: claim, in: request.team.id, at: request.moment) {
        case .unknown: Self.dead(.codeUnknown, because: "the code is not known")
        case .expired: Self.dead(.codeExpired, because: "the code is older than five minutes, or than a cut-off")
        case .otherClient:
            OAuthError(
                .invalidGrant, "client_id mismatch. The code was not issued to \(claim.clientID).",
                cause: .codeOfOtherClient, because: "the code was issued to another client")
        case .otherRedirectURI:
            OAuthError(
                .invalidGrant, "redirect_uri mismatch. The code was not issued to \(claim.redirectURI ?? "none").",
                cause: .codeOfOtherReturnURL, because: "redirect_uri is not that of the authorization request")
        case .suspended: Self.dead(.personSuspended, because: "the person is suspended")
        case .otherVerifier: Self.dead(.codeVerifierWrong, because: "code_verifier does not answer the challenge")
        case .used(let tokenID): try await refuseReplay(of: tokenID, request)
        }
    }

    private func refuseReplay(of tokenID: [UInt8], _ request: AuthenticatedRequest) async throws -> OAuthError {
        let event = AuditEvent(
            "code.replayed", by: .client(request.client.client.id),
            on: AuditEvent.Target("client", request.client.client.id.rawValue), from: request.origin, outcome: .refused)
        try await services.ends.revoke(tokenID, event: event, in: request.team.id, at: request.moment)
        return OAuthError(
            .invalidGrant, "The code has already been used.", cause: .codeUsed,
            because: "the code was redeemed before; its tokens are revoked")
    }
}
