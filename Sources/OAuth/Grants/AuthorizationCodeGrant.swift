import Platform

// grant_type=authorization_code (RFC 6749 section 4.1.3).
extension Grant {
    /// Tokens for an authorization code.
    ///
    /// - Parameter provider: redeems a code that this team has not issued; nil for a client without such codes.
    static func authorizationCode(
        _ services: GrantServices, or provider: @escaping @Sendable (AuthenticatedRequest) async throws -> [UInt8]?
    ) -> Grant {
        Grant("authorization_code") { request in
            do { return try await AuthorizationCodeGrant(services: services).redeem(request) } catch let error
                as OAuthError where [.codeMalformed, .codeUnknown].contains(error.cause)
            {
                guard let answer = try await provider(request) else { throw error }
                return answer
            }
        }
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
            await services.redeemers.note(request.client.id, in: request.team.id, from: request.origin)
        }
        let issuer = services.issuer(of: request)
        services.traces.redeem(
            .redemption(claim, grant, request, issuer: issuer), of: grant.interactions, in: request.team.id)
        let claims = TokenIssuer.Claims(
            client: request.client.client, subject: grant.subject, nonce: grant.nonce, email: grant.email,
            authenticatedAt: grant.authenticatedAt)
        let answer = try await issuer.answer(claims, under: refreshToken, at: request.moment)
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
            code: code, clientID: request.client.id, redirectURI: request.parameters["redirect_uri"],
            codeChallenge: request.parameters["code_verifier"].flatMap(PKCE.challenge),
            testSignIn: request.client.testSignIn, tokenID: tokenID,
            notBefore: request.team.tokenRules.notBefore(of: request.client.id))
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
            "code.replayed", by: .client(request.client.id),
            on: AuditEvent.Target("client", request.client.id.rawValue), from: request.origin, outcome: .refused)
        try await services.ends.revoke(tokenID, event: event, in: request.team.id, at: request.moment)
        return OAuthError(
            .invalidGrant, "The code has already been used.", cause: .codeUsed,
            because: "the code was redeemed before; its tokens are revoked")
    }
}
