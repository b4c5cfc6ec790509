import Bytes
import Crypto
import Domain
import OAuth
import Provisioning
import Registry
import Simulator

/// Registers groups of apps in the simulator's team on the first loop, in place of Apple's developer portal.
struct ClientRegistration: Sendable {
    private let provisioner: Provisioner

    init(_ process: ServerProcess) {
        // At the simulator, as at Apple, return URLs may lead to Pippin itself.
        provisioner = process.provisioner(apartFrom: "")
    }

    /// Adds clients to the simulator's registry and removes none.
    ///
    /// - Returns: the field errors; empty on success.
    func register(_ registrations: [Simulation.Registration]) async throws -> [FieldError] {
        var registrations = registrations
        let known = try await knownReturnURLs()
        for index in registrations.indices {
            let wanted = registrations[index].returnURLs
            registrations[index].returnURLs =
                (known[registrations[index].servicesID] ?? []).filter { !wanted.contains($0) } + wanted
        }
        let file: RegistryFile
        do { file = try RegistryFile(parsing: JSON.encode(Self.registry(registrations))) { _ in [] } } catch {
            return error.all
        }
        guard case .refused(let problems) = try await provisioner.apply(file).outcome else { return [] }
        return problems
    }

    /// Registered return URLs by Services ID, because applying a file without them would delete them.
    private func knownReturnURLs() async throws -> [String: [String]] {
        guard let id = TeamID(rawValue: Simulator.teamID), let team = try await provisioner.export(id)?.teams.first
        else { return [:] }
        let services = (team.appIDs ?? []).flatMap { $0.serviceIDs ?? [] }
        return Dictionary(services.map { ($0.identifier, $0.returnURLs ?? []) }) { $1 }
    }

    private static func registry(_ registrations: [Simulation.Registration]) -> JSONValue {
        [
            "teams": [
                [
                    "id": .string(Simulator.teamID), "name": "Apple’s stand-in", "mode": "sandbox",
                    "appIDs": .array(registrations.flatMap(apps)), "keys": .array(registrations.map(key)),
                ]
            ]
        ]
    }

    private static func apps(of registration: Simulation.Registration) -> [JSONValue] {
        let service: JSONValue = [
            "identifier": .string(registration.servicesID), "description": .string(registration.servicesID),
            "domains": ["localhost", "127.0.0.1"], "returnURLs": .array(registration.returnURLs.map { .string($0) }),
        ]
        let primary: JSONValue = [
            "identifier": .string(registration.appID), "description": .string(registration.appID),
            "notificationURL": .string(registration.notificationURL), "serviceIDs": [service],
        ]
        return [primary]
            + registration.groupedIDs.map {
                ["identifier": .string($0), "description": .string($0), "primary": .string(registration.appID)]
            }
    }

    private static func key(of registration: Simulation.Registration) -> JSONValue {
        [
            "id": .string(registration.keyID.rawValue), "name": "Pippin", "appID": .string(registration.appID),
            "publicKeyPEM": .string(registration.publicKey.pem),
        ]
    }
}

extension Simulation {
    /// Registration of one group of apps at the simulator.
    struct Registration: Sendable {
        /// Bundle ID of the primary App ID.
        let appID: String
        /// Bundle IDs of the other apps of the group.
        var groupedIDs: [String] = []
        let servicesID: String
        var returnURLs: [String]
        let notificationURL: String
        let keyID: KeyID
        let publicKey: P256PublicKey
    }
}

extension Simulation.Registration {
    init(_ registration: AppleRegistration, returnURL: String, notificationURL: String) {
        let primary = registration.appID
        self.init(
            appID: primary.rawValue,
            groupedIDs: registration.bundleIDs.filter { $0 != primary }.map(\.rawValue).sorted(),
            servicesID: registration.servicesID.rawValue, returnURLs: [returnURL], notificationURL: notificationURL,
            keyID: registration.keyID, publicKey: registration.key.publicKey)
    }
}
