import Core
import Crypto
import OAuth
import Platform
import Postgres
import Registry

/// In place of Apple's developer portal.
struct Portal: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    func register(_ registration: AppleRegistration, _ returnURL: String, _ change: borrowing Change) async throws {
        let primary = registration.appID
        let others = registration.bundleIDs.filter { $0 != primary }.sorted { $0.rawValue < $1.rawValue }
        for bundle in [primary] + others {
            let typed: Typed = [
                "description": .string(bundle.rawValue), "primary": .string(bundle == primary ? "" : primary.rawValue),
            ]
            let draft = try AppID.Draft(bundle.rawValue, typed, policy: .hostNamesAndLoopback)
            _ = try await AppIDStore(database).create(draft, change)
        }
        let service = try ServiceID.Draft(
            registration.servicesID.rawValue, of: primary,
            ["description": "Acme", "domains": ["127.0.0.1"], "returnURLs": .strings([returnURL])],
            policy: .hostNamesAndLoopback)
        _ = try await ServiceIDStore(database).create(service, change)
        let key = try Key.Registration(
            id: registration.keyID.rawValue, name: "Acme", appID: primary.rawValue,
            publicKeyPEM: registration.key.publicKey.pem)
        _ = try await KeyStore(database, keyRing: keyRing).register(key, change)
    }
}
