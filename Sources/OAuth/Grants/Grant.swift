import Core
import Crypto
import Platform

/// A grant of the token endpoint (RFC 6749 section 1.3), as a value: another one is added to `all`.
struct Grant: Sendable {
    /// The grants of the endpoint, as the discovery document lists them.
    static let all: [Grant] = [authorizationCode, refreshToken, clientCredentials]

    /// The `grant_type` that asks for it.
    let type: String
    /// How its client proves itself.
    let proof: ClientProof
    /// Responds to an authenticated client with the JSON of RFC 6749 section 5.1.
    let respond: @Sendable (AuthenticatedRequest, GrantServices) async throws -> [UInt8]

    init(
        _ type: String, proof: ClientProof = .secret,
        respond: @escaping @Sendable (AuthenticatedRequest, GrantServices) async throws -> [UInt8]
    ) {
        self.type = type
        self.proof = proof
        self.respond = respond
    }
}

/// The services that grants use.
struct GrantServices: Sendable {
    let server: ServerContext
    let database: TeamDatabase
    let codes: CodeStore
    let tokens: RefreshTokenStore
    let ends: AuthorizationEndStore
    let redeemers: RedeemingClients
    let traces: any TraceSink
    /// Redeems a code that this team has not issued; nil for a client without such codes.
    let provider: @Sendable (AuthenticatedRequest) async throws -> [UInt8]?

    func issuer(of request: AuthenticatedRequest) -> TokenIssuer {
        TokenIssuer(team: request.team, server: server, database: database)
    }
}

// grant_type=authorization_code (RFC 6749 section 4.1.3).
extension Grant {
    /// Tokens for an authorization code.
    private static let authorizationCode = Grant("authorization_code") { request, services in
        do { return try await AuthorizationCodeGrant(services: services).redeem(request) } catch let error as OAuthError
            where [.codeMalformed, .codeUnknown].contains(error.cause)
        {
            guard let answer = try await services.provider(request) else { throw error }
            return answer
        }
    }
}

private struct AuthorizationCodeGrant: Sendable {
    let services: GrantServices

    func redeem(_ request: AuthenticatedRequest) async throws -> [UInt8] {
        let refreshToken = RefreshToken(random: services.server.random)
        let claim = try claim(request, tokenID: refreshToken.id)
        try request.team.requireSigningKey(at: request.moment)
        guard let grant = try await services.codes.redeem(claim, in: request.team.id, at: request.moment) else {
            throw try await refusal(of: claim, request)
        }
        if request.client.testSignIn == nil {
            await services.redeemers.note(request.client.id, in: request.team.id, from: request.origin)
        }
        let issuer = services.issuer(of: request)
        services.traces.redeem(.redemption(claim, grant, request, issuer: issuer), of: grant.trace, in: request.team.id)
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
            notBefore: request.team.notBefore(of: request.client.id))
    }

    /// The error with Apple's general description.
    private static func dead(_ cause: RefusalCause, because reason: String) -> OAuthError {
        OAuthError(.invalidGrant, "The code has expired or has been revoked.", cause: cause, because: reason)
    }

    /// The reason as an error; a second redemption also revokes the tokens of the first (RFC 6749 section 4.1.2).
    private func refusal(of claim: CodeStore.Claim, _ request: AuthenticatedRequest) async throws -> OAuthError {
        switch try await services.codes.obstacle(to: claim, in: request.team.id, at: request.moment) {
        case .unknown: Self.dead(.codeUnknown, because: "the code is not known")
        case .expired:
            Self.dead(.codeExpired, because: "the code is older than five minutes, or than a token revocation")
        case .otherClient:
            OAuthError(
                .invalidGrant, "client_id mismatch. The code was not issued to \(claim.clientID).",
                cause: .codeOfOtherClient, because: "the code was issued to another client")
        case .otherRedirectURI(let expected):
            OAuthError(
                .invalidGrant, "redirect_uri mismatch. The code was not issued to \(claim.redirectURI ?? "none").",
                cause: .codeOfOtherReturnURL, because: "redirect_uri is not that of the authorization request",
                expecting: expected.map { [TraceAttribute("redirect_uri", url: $0)] } ?? [])
        case .suspended: Self.dead(.personSuspended, because: "the person is suspended")
        case .otherVerifier: Self.dead(.codeVerifierWrong, because: "code_verifier does not answer the challenge")
        case .used(let tokenID): try await refuseReplay(of: tokenID, request)
        }
    }

    private func refuseReplay(of tokenID: [UInt8], _ request: AuthenticatedRequest) async throws -> OAuthError {
        let event = AuditEvent(
            "code.replayed", by: .client(request.client.id), on: .client(request.client.id), from: request.origin,
            outcome: .refused)
        try await services.ends.revoke(tokenID, event: event, in: request.team.id, at: request.moment)
        return OAuthError(
            .invalidGrant, "The code has already been used.", cause: .codeUsed,
            because: "the code was redeemed before; its tokens are revoked")
    }
}

// grant_type=refresh_token (RFC 6749 section 6).
extension Grant {
    /// Tokens for a refresh token.
    ///
    /// Like Apple's, the token of a client with a secret is not rotated, and no new one is returned. That of a native
    /// app, which cannot keep a secret, is itself the proof: it is rotated at each use, and the reuse of an earlier one
    /// ends its session, because one of its two holders has stolen it (RFC 9700 section 4.14.2).
    private static let refreshToken = Grant("refresh_token", proof: .secretOrRotatingToken(in: "refresh_token")) {
        request, services in
        try request.team.requireSigningKey(at: request.moment)
        if case .rotatingToken(let token) = request.client.proof { return try await rotate(token, request, services) }
        return try await refresh(request, services)
    }

    private static func refresh(_ request: AuthenticatedRequest, _ services: GrantServices) async throws -> [UInt8] {
        let text = try request.parameters.required("refresh_token")
        guard let token = RefreshToken(text), token.secretHash == nil else { throw deadToken }
        let holder = try await services.tokens.use(
            token.id, by: request.client.id, testSignIn: request.client.testSignIn,
            issuedSince: request.team.notBefore(of: request.client.id), in: request.team.id, at: request.moment)
        return try await services.issuer(of: request).answer(
            try claims(of: holder, request), under: token, isNew: false, at: request.moment)
    }

    private static func rotate(_ token: RefreshToken, _ request: AuthenticatedRequest, _ services: GrantServices)
        async throws -> [UInt8]
    {
        let next = token.rotated(random: services.server.random)
        let rotation = RefreshTokenStore.Rotation(
            old: token, new: next, client: request.client.id,
            issuedSince: request.team.notBefore(of: request.client.id), origin: request.origin, at: request.moment)
        let holder = try await services.tokens.rotate(rotation, in: request.team.id)
        return try await services.issuer(of: request).answer(
            try claims(of: holder, request), under: next, at: request.moment)
    }

    /// - Parameter holder: nil for a token that is not live.
    private static func claims(of holder: RefreshTokenStore.Holder?, _ request: AuthenticatedRequest) throws(OAuthError)
        -> TokenIssuer.Claims
    {
        guard let holder else { throw deadToken }
        return TokenIssuer.Claims(
            client: request.client.client, subject: holder.subject, nonce: nil, email: holder.email,
            authenticatedAt: holder.authenticatedAt)
    }

    private static var deadToken: OAuthError {
        OAuthError(
            .invalidGrant, "The token has expired or has been revoked.", cause: .refreshTokenDead,
            because: "the refresh token is unknown, revoked, cut off, or another client's")
    }
}

// grant_type=client_credentials (RFC 6749 section 4.4), at Apple only for the migration of users.
extension Grant {
    /// The only scope of a client's own tokens.
    static let migrationScope = "user.migration"

    /// A token of the client itself.
    private static let clientCredentials = Grant("client_credentials") { request, services in
        try answer(request, services.issuer(of: request))
    }

    private static func answer(_ request: AuthenticatedRequest, _ issuer: TokenIssuer) throws -> [UInt8] {
        guard request.client.testSignIn == nil else {
            throw OAuthError(.unauthorizedClient, cause: .testMayNot, because: "a test sign-in moves no users")
        }
        guard let scope = request.parameters["scope"], scope.isExactly(migrationScope) else {
            throw OAuthError(.invalidScope, cause: .migrationScopeWanted, because: "scope is not \(migrationScope)")
        }
        var json = JSONWriter(capacity: 256)
        json.member("access_token", issuer.accessToken(for: request.client.id, at: request.moment))
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        return json.finish()
    }
}
