import Crypto
import OAuth
import Platform
import Postgres
import Registry

/// In place of Apple's developer portal.
struct Portal: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    func register(_ registration: AppleRegistration, _ returnURL: String, _ transaction: borrowing Transaction)
        async throws
    {
        let (team, actor, origin) = (TestEnvironment.appleSide, Actor.system("test"), TestEnvironment.origin)
        let primary = registration.appID
        let others = registration.bundleIDs.filter { $0 != primary }.sorted { $0.rawValue < $1.rawValue }
        for bundle in [primary] + others {
            let draft = try AppID.Draft(
                parsing: AppID.Input(
                    identifier: bundle.rawValue, description: bundle.rawValue,
                    primary: bundle == primary ? "" : primary.rawValue), policy: .hostNamesAndLoopback)
            _ = try await AppIDStore(database).create(draft, in: team, by: actor, from: origin, transaction)
        }
        let service = try ServiceID.Draft(
            parsing: ServiceID.Input(
                identifier: registration.servicesID.rawValue, description: "Acme", domains: ["127.0.0.1"],
                returnURLs: [returnURL]), of: primary, policy: .hostNamesAndLoopback)
        _ = try await ServiceIDStore(database).create(service, in: team, by: actor, from: origin, transaction)
        let key = try Key.Registration(
            id: registration.keyID.rawValue, name: "Acme", appID: primary.rawValue,
            publicKeyPEM: registration.key.publicKey.pem)
        _ = try await KeyStore(database, keyRing: keyRing).register(key, in: team, by: actor, from: origin, transaction)
    }
}
