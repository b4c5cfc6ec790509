import AuthEngine
import Bytes
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
            CopyView(Phrase("console.service-ids.client.id"), service.identifier.rawValue),
            CopyView(Phrase("console.registry.issuer"), issuer),
            CopyView(
                Phrase("console.service-ids.client.discovery"),
                address(TeamRoutes.discovery.link(team))
            ),
            CopyView(
                Phrase("console.service-ids.client.authorization"),
                address(TeamRoutes.authorize.link(team))
            ),
            CopyView(Phrase("console.service-ids.client.token"), address(TeamRoutes.token.link(team))),
            CopyView(Phrase("console.service-ids.client.keys"), address(TeamRoutes.keys.link(team))),
            CopyView(Phrase("console.service-ids.client.revocation"), address(TeamRoutes.revoke.link(team))),
            CopyView(Phrase("console.service-ids.client.team"), team.rawValue),
            CopyView(Phrase("console.service-ids.client.audience"), context.base(of: team)),
        ] + keys.map { CopyView(Phrase("console.service-ids.client.key", ["key": $0.name]), $0.id.rawValue) }
    }

    /// For what signs client secrets with the key.
    func views(of key: Key) -> [CopyView] {
        [
            CopyView(Phrase("console.keys.copy"), key.id.rawValue),
            CopyView(Phrase("console.keys.client.iss"), team.rawValue),
            CopyView(Phrase("console.keys.client.aud"), context.base(of: team)),
            CopyView(Phrase("console.service-ids.client.token"), address(TeamRoutes.token.link(team))),
        ]
    }

    private func address(_ path: String) -> String {
        context.publicURL + path
    }
}
