import Core
import Directory
public import Platform

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
