import Core

/// The discovery document of a team (OpenID Connect Discovery 1.0 section 3): Apple's fields in Apple's order, then
/// additional ones.
///
/// It omits fields that clients would act on: `end_session_endpoint`, because sign-out is for backends, and
/// `authorization_response_iss_parameter_supported`, because authorization responses carry no `iss`.
public enum Discovery {
    public static func document(base: String) -> [UInt8] {
        var json = JSONWriter(capacity: 2048)
        json.member("issuer", base)
        json.member("authorization_endpoint", "\(base)/auth/authorize")
        json.member("token_endpoint", "\(base)/auth/token")
        json.member("revocation_endpoint", "\(base)/auth/revoke")
        json.member("jwks_uri", "\(base)/auth/keys")
        json.member("response_types_supported", ["code", "code id_token"])
        json.member("response_modes_supported", ["query", "fragment", "form_post"])
        json.member("subject_types_supported", ["pairwise"])
        json.member("id_token_signing_alg_values_supported", ["RS256"])
        json.member("scopes_supported", ["openid", "email", "name"])
        json.member("token_endpoint_auth_methods_supported", secretInBody)
        json.member("claims_supported", claims)
        json.member("userinfo_endpoint", "\(base)/auth/userinfo")
        json.member("introspection_endpoint", "\(base)/auth/introspect")
        json.member("introspection_endpoint_auth_methods_supported", secretInBody)
        json.member("revocation_endpoint_auth_methods_supported", secretInBody)
        json.member("grant_types_supported", Grant.all.map(\.type))
        json.member("code_challenge_methods_supported", ["S256"])
        return json.finish()
    }

    /// The client secret is a form field, never a header (Apple).
    private static let secretInBody = ["client_secret_post"]

    private static let claims = [
        "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce", "nonce_supported", "sub",
        "transfer_sub", "auth_time", "name", "given_name", "family_name",
    ]
}
