import Bytes

/// The discovery document of a team (OpenID Connect Discovery 1.0 section 3) with Apple's fields, no more: a client
/// that sees another one may act on it.
public enum Discovery {
    public static func document(base: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
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
        json.member("token_endpoint_auth_methods_supported", ["client_secret_post"])
        json.member(
            "claims_supported",
            [
                "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce",
                "nonce_supported", "sub",
            ]
        )
        return json.finish()
    }
}
