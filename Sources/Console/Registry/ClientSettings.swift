import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Settings to copy into the configuration of a client library.
struct ClientSettings: Sendable {
    let team: TeamID
    let server: ServerContext

    /// Settings of an app that signs users in with the Service ID as its client ID.
    func views(of service: ServiceID, keys: [Key]) -> [CopyView] {
        let issuer = service.issuer == .apple ? "https://appleid.apple.com" : server.base(of: team)
        return [
            CopyView(Message("console.service-ids.client.id"), service.identifier.rawValue),
            CopyView(Message("console.registry.issuer"), issuer),
            CopyView(Message("console.service-ids.client.discovery"), address(TeamRoutes.discovery.link(team))),
            CopyView(Message("console.service-ids.client.authorization"), address(TeamRoutes.authorize.link(team))),
            CopyView(Message("console.service-ids.client.token"), address(TeamRoutes.token.link(team))),
            CopyView(Message("console.service-ids.client.keys"), address(TeamRoutes.keys.link(team))),
            CopyView(Message("console.service-ids.client.revocation"), address(TeamRoutes.revoke.link(team))),
            CopyView(Message("console.service-ids.client.team"), team.rawValue),
            CopyView(Message("console.service-ids.client.audience"), server.base(of: team)),
        ] + keys.map { CopyView(Message("console.service-ids.client.key", ["key": $0.name]), $0.id.rawValue) }
    }

    /// Settings of a server that signs client secrets with the key.
    func views(of key: Key) -> [CopyView] {
        [
            CopyView(Message("console.keys.copy"), key.id.rawValue),
            CopyView(Message("console.keys.client.iss"), team.rawValue),
            CopyView(Message("console.keys.client.aud"), server.base(of: team)),
            CopyView(Message("console.service-ids.client.token"), address(TeamRoutes.token.link(team))),
        ]
    }

    private func address(_ path: String) -> String { server.publicURL + path }
}
