extension AuthorizationRequest {
    /// The request of a native sign-in on a device: no page and no return URL.
    public static func native(_ client: Client, nonce: String?) -> AuthorizationRequest {
        AuthorizationRequest(
            client: client, redirectURI: "", responseType: .codeAndIDToken, responseMode: .formPost,
            scope: Scope(name: true, email: true), state: nil, nonce: nonce, codeChallenge: nil, testSignIn: nil,
            loginHint: nil, locales: nil, sent: [])
    }
}
