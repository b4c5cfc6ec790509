import Core
import Directory
public import Platform

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

/// The userinfo endpoint (OpenID Connect Core section 5.3), absent at Apple.
///
/// It returns the data the consent shares at present, including the name, which no `id_token` carries, so that an app
/// can recover a lost name.
public struct Userinfo: Sendable {
    let server: ServerContext
    let tokens: LiveTokenStore

    public init(server: ServerContext, database: TeamDatabase) {
        self.server = server
        tokens = LiveTokenStore(database: database)
    }

    /// The claims about the user of an access token, as JSON.
    ///
    /// - Returns: nil when the token is not valid in this team (RFC 6750 section 3.1: `invalid_token`).
    /// - Throws: `PostgresFailure`.
    public func respond(to accessToken: String, of team: TeamSnapshot) async throws -> [UInt8]? {
        guard let access = AccessToken(accessToken, of: team), access.expiresAt > server.clock(),
            let id = access.refreshTokenID, let token = try await tokens.find(id, of: team)
        else { return nil }
        var json = JSONWriter()
        json.member("sub", token.subject.rawValue)
        if let name = token.name, !name.isEmpty {
            json.member("name", name.full)
            json.member("given_name", name.given)
            json.member("family_name", name.family)
        }
        if let email = token.email {
            let writesStrings = team.client(token.clientID)?.writesStrings ?? false
            json.members(of: email, asStrings: writesStrings)
        }
        return json.finish()
    }
}
