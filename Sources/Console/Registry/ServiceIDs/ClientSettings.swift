import AuthEngine
import Domain
import HTTP
import Registry
import SignIn
import Web

/// What a client library has to be told, to be pasted there.
struct ClientSettings: Sendable {
    let team: TeamID
    let context: EngineContext

    /// For everything that signs people in as the Service ID.
    func views(of service: ServiceID, keys: [Key]) -> [CopyView] {
        let issuer = service.issuer == .apple ? "https://appleid.apple.com" : context.base(of: team)
        return [
            CopyView("Client ID", service.identifier.rawValue),
            CopyView("Issuer", issuer),
            CopyView("Authorization URL", address(TeamRoutes.authorize.link(team))),
            CopyView("Token URL", address(TeamRoutes.token.link(team))),
            CopyView("Keys URL", address(TeamRoutes.keys.link(team))),
            CopyView("Revocation URL", address(TeamRoutes.revoke.link(team))),
            CopyView("Team ID", team.rawValue),
        ] + keys.map { CopyView("Key ID of \($0.name)", $0.id.rawValue) }
    }

    /// For what signs client secrets with the key.
    func views(of key: Key) -> [CopyView] {
        [
            CopyView("Key ID", key.id.rawValue),
            CopyView("Team ID (iss)", team.rawValue),
            CopyView("Audience (aud)", context.base(of: team)),
            CopyView("Token URL", address(TeamRoutes.token.link(team))),
        ]
    }

    private func address(_ path: String) -> String {
        context.publicURL + path
    }
}
