extension AuthorizationRequest {
    /// What a device asks its own server for when an app shows the sheet: no page, and no return URL.
    public static func native(_ client: Client, nonce: String?) -> AuthorizationRequest {
        AuthorizationRequest(
            client: client,
            redirectURI: "",
            responseType: .codeAndIDToken,
            responseMode: .formPost,
            scope: Scope(name: true, email: true),
            state: nil,
            nonce: nonce,
            codeChallenge: nil,
            trial: nil,
            loginHint: nil,
            locales: nil,
            sent: []
        )
    }
}
