import Bytes
import Directory
public import Domain

/// The userinfo endpoint (OpenID Connect Core section 5.3), which Apple does not have.
///
/// It tells what the consent shares today: the name too, which no `id_token` carries, so that an app which lost it
/// finds it again.
public struct Userinfo: Sendable {
    let context: EngineContext
    let tokens: LiveTokenStore

    public init(context: EngineContext, database: TeamDatabase) {
        self.context = context
        tokens = LiveTokenStore(database: database)
    }

    /// The claims about the person behind an access token, as JSON.
    ///
    /// - Returns: nil when the token is not good at this team (RFC 6750 section 3.1: `invalid_token`).
    /// - Throws: `PostgresFailure`.
    public func respond(to accessToken: String, of team: TeamSnapshot) async throws -> [UInt8]? {
        guard let access = AccessToken(accessToken, of: team), access.expiresAt > context.clock(),
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
