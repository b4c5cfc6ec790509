import Registry

/// One rule for authorization requests.
struct AuthorizationCheck: Sendable {
    let name: String
    let judge: @Sendable (AuthorizationInput) throws(AuthorizationRefusal) -> Void

    init(_ name: String, _ judge: @escaping @Sendable (AuthorizationInput) throws(AuthorizationRefusal) -> Void) {
        self.name = name
        self.judge = judge
    }
}

/// The input of the checks of an authorization request.
struct AuthorizationInput: Sendable {
    let parameters: ProtocolParameters
    let client: Client
    /// The test sign-in whose return URL the request names; nil for any other request.
    let testSignIn: TestSignIn?
}

extension AuthorizationCheck {
    /// All rules, in the order of application.
    ///
    /// The client and the return URL come first, because no response may be sent to a return URL before it is known to
    /// belong to the client.
    static let all: [AuthorizationCheck] = [
        AuthorizationCheck("the app may sign people in", isEnabled),
        AuthorizationCheck("the return URL is registered", isRegistered),
        AuthorizationCheck("the return URL lies on a verified domain where the team asks for one", isProven),
        AuthorizationCheck("the response type is supported", isSupportedType),
        AuthorizationCheck("the response mode suits the response type", modeSuitsType),
        AuthorizationCheck("a scope is answered by form_post", scopeNeedsFormPost),
        AuthorizationCheck("the scopes are name and email", isKnownScope),
        AuthorizationCheck("the code challenge is S256", isS256),
        AuthorizationCheck("PKCE is used where it is required", hasRequiredPKCE),
    ]

    private static func isEnabled(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard input.client.isEnabled else {
            throw AuthorizationRefusal(
                .invalidClient, cause: .clientDisabled, because: "sign-in is switched off for \(input.client.id)")
        }
    }

    /// Requires a registered return URL, compared byte for byte (RFC 9700 section 4.1.3).
    private static func isRegistered(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard let url = input.parameters["redirect_uri"] else {
            throw AuthorizationRefusal(.invalidRequest, cause: .returnURLMissing, because: "redirect_uri is missing")
        }
        if input.testSignIn != nil { return }
        guard input.client.hasReturnURL(url) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .returnURLUnregistered,
                because: "\(url.withoutSecrets) is not a return URL of \(input.client.id)",
                hint: hint(url, input.client))
        }
    }

    private static func hint(_ url: String, _ client: Client) -> String {
        let registered = client.returnURLs.map(ReturnURL.init(stored:))
        guard let comparison = ReturnURLComparison(url, with: registered) else { return "no return URL is registered" }
        let differences = comparison.differences.map { "\($0)" }.joined(separator: ", ")
        return "differs from \(comparison.nearest) in \(differences)"
    }

    private static func isProven(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard input.testSignIn == nil, let url = input.parameters["redirect_uri"], input.client.isUnproven(url) else {
            return
        }
        throw AuthorizationRefusal(
            .invalidRequest, cause: .domainUnverified, because: "\(url.withoutSecrets) is on no verified domain",
            hint: "this team requires verified domains; verify the domain on the page of \(input.client.id)")
    }

    /// Requires a supported response type; like Apple, rejects `id_token` alone.
    private static func isSupportedType(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard AuthorizationRequest.ResponseType(input.parameters) != nil else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .responseType, because: "response_type must be code or code id_token")
        }
    }

    /// Rejects tokens in a query (OAuth 2.0 Multiple Response Types, section 5).
    private static func modeSuitsType(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard let mode = AuthorizationRequest.ResponseMode(input.parameters) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .responseMode,
                because: "response_mode must be query, fragment, form_post or web_message")
        }
        if AuthorizationRequest.ResponseType(input.parameters) == .codeAndIDToken && mode == .query {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .idTokenInQuery, because: "id_token is never answered by query")
        }
    }

    /// Requires form_post for scopes, as Apple does since August 2019, or web_message, which Apple's JS library sends.
    private static func scopeNeedsFormPost(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        let scopes = AuthorizationRequest.Scope.names(input.parameters).filter { $0 != "openid" }
        let mode = AuthorizationRequest.ResponseMode(input.parameters)
        guard !scopes.isEmpty, mode != .formPost, mode != .webMessage else { return }
        throw AuthorizationRefusal(
            .invalidRequest, cause: .scopeNeedsFormPost,
            because: "response_mode must be form_post when name or email scope is requested")
    }

    /// Rejects unknown scopes; `openid` is accepted without effect, because several clients send it.
    private static func isKnownScope(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        for scope in AuthorizationRequest.Scope.names(input.parameters)
        where !["name", "email", "openid"].contains(scope) {
            throw AuthorizationRefusal(
                .invalidScope, cause: .scopeUnknown,
                because: "\(Redaction.text(String(scope), limit: 40)) is none of the scopes name, email and openid")
        }
    }

    /// Requires a code challenge with S256 (RFC 7636 section 4.2); `plain` is rejected, because it gives no protection.
    private static func isS256(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard let challenge = input.parameters["code_challenge"] else {
            guard input.parameters["code_challenge_method"] == nil else {
                throw AuthorizationRefusal(
                    .invalidRequest, cause: .challengeMissing, because: "code_challenge is missing")
            }
            return
        }
        guard input.parameters["code_challenge_method"] == "S256" else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .challengeMethod, because: "code_challenge_method must be S256")
        }
        guard PKCE.isChallenge(challenge) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .challengeMalformed, because: "code_challenge is not a SHA-256")
        }
    }

    private static func hasRequiredPKCE(_ input: AuthorizationInput) throws(AuthorizationRefusal) {
        guard !input.client.requiresPKCE || input.parameters["code_challenge"] != nil else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .pkceRequired, because: "\(input.client.id) requires PKCE")
        }
    }
}
