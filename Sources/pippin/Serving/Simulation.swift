import AuthEngine
import Bytes
import Crypto
import Domain
import EventLoop
import HTTPClient
import Providers
import Provisioning
import Registry
import Simulator
import Tenancy

/// Apple's stand-in in the same process: its team, its people, and what is registered there.
struct Simulation: Sendable {
    /// Shared by the loops.
    let script: Script

    /// Makes the team and its people, which changes nothing when they are there.
    static func load(_ house: House) throws(CommandFailure) -> Simulation {
        let simulation: Simulation
        do {
            simulation = Simulation(script: Script(extraKey: try RSASigningKey.generate()))
        } catch {
            throw CommandFailure("the stand-in for Apple gets no key: \(error)")
        }
        try simulation.register([], in: house)
        let database = TeamDatabase(house.workers[0].app)
        do {
            try house.loops[0].wait {
                if let team = TeamID(rawValue: Simulator.teamID) { try await Cast(database).admit(to: team) }
            }
        } catch {
            throw CommandFailure("the stand-in for Apple gets no people: \(error)")
        }
        return simulation
    }

    /// What is registered at the stand-in for one group of apps.
    struct Registration: Sendable {
        let bundleID: String
        let servicesID: String
        let returnURL: String
        let notificationURL: String
        let keyID: KeyID
        let publicKey: P256PublicKey
    }

    /// Registers apps at the stand-in, as somebody would in Apple's portal.
    func register(_ registrations: [Registration], in house: House) throws(CommandFailure) {
        let file: RegistryFile
        do {
            file = try RegistryFile(parsing: JSON.encode(registry(registrations))) { _ in [] }
        } catch {
            throw CommandFailure(
                error.all,
                after: "the stand-in was refused: ",
                saying: house.installation.settings.resources
            )
        }
        // Return URLs lead to Pippin itself here, as they do at Apple.
        let provisioner = house.provisioner(apartFrom: "")
        do {
            let report = try house.loops[0].wait { try await provisioner.apply(file, ApplyOptions()) }
            if case .refused(let problems) = report.outcome {
                throw CommandFailure(
                    problems,
                    after: "the stand-in was refused: ",
                    saying: house.installation.settings.resources
                )
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("the stand-in cannot be registered: \(error)")
        }
    }

    private func registry(_ registrations: [Registration]) -> JSONValue {
        let apps = registrations.map { registration -> JSONValue in
            let service: JSONValue = [
                "identifier": .string(registration.servicesID),
                "description": .string(registration.servicesID),
                "domains": ["localhost", "127.0.0.1"], "returnURLs": [.string(registration.returnURL)],
            ]
            return [
                "identifier": .string(registration.bundleID), "description": .string(registration.bundleID),
                "notificationURL": .string(registration.notificationURL),
                "serviceIDs": [service],
            ]
        }
        let keys = registrations.map { registration -> JSONValue in
            [
                "id": .string(registration.keyID.rawValue), "name": "Pippin",
                "appID": .string(registration.bundleID),
                "publicKeyPEM": .string(registration.publicKey.pem),
            ]
        }
        return [
            "teams": [
                [
                    "id": .string(Simulator.teamID), "name": "Apple’s stand-in", "mode": "sandbox",
                    "appIDs": .array(apps), "keys": .array(keys),
                ]
            ]
        ]
    }
}

extension Settings {
    /// Where Apple is spoken to: the stand-in on another host of this machine, so that browsers meet another site there.
    var apple: AppleService {
        guard simulatesApple else { return .apple }
        let host = publicURL.isSecure ? publicURL.text : "http://apple.localhost:\(port)"
        return AppleService(
            issuer: "\(publicURL.text)/t/\(Simulator.teamID)",
            base: "\(host)/apple",
            addresses: .publicAndLoopback
        )
    }
}
