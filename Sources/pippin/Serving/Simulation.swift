import Accounts
import Console
import Core
import Crypto
import EventLoop
import Federation
import HTTP
import OAuth
import Platform
import Registry
import Simulator

/// The Apple simulator in this process: its team, its simulated users, and its registered clients.
struct Simulation: Sendable {
    /// Behavior of the simulator, shared by the loops.
    let script: Script

    /// Creates the simulator's team and users; repeating it changes nothing.
    static func load(_ process: ServerProcess) throws(CommandFailure) -> Simulation {
        let simulation: Simulation
        do { simulation = Simulation(script: Script(extraKey: try RSASigningKey.generate())) } catch {
            throw CommandFailure("the Apple simulator gets no key: \(describing: error)")
        }
        try simulation.register(nil, in: process)
        let database = process.loopServices[0].database
        do {
            try process.loops[0].wait {
                if let team = TeamID(rawValue: Simulator.teamID) { try await Cast(database).admit(to: team) }
            }
        } catch { throw CommandFailure("the Apple simulator gets no people: \(describing: error)") }
        return simulation
    }

    /// Registers a group of apps at the simulator, before the server starts.
    func register(_ client: Client?, in process: ServerProcess) throws(CommandFailure) {
        let registry = SimulatorRegistry(process)
        let problems: FieldErrors
        do { problems = try process.loops[0].wait { try await registry.add(client) } } catch {
            throw CommandFailure("the simulator cannot be registered: \(describing: error)")
        }
        guard problems.isEmpty else {
            throw CommandFailure(
                problems, after: "the simulator was refused: ", saying: process.installation.settings.resources)
        }
    }

    /// The console's registration at the simulator, in place of Apple's developer portal.
    func simulator(in process: ServerProcess) -> AppleSimulator? {
        guard let team = TeamID(rawValue: Simulator.teamID), let appleTeam = AppleTeamID(rawValue: Simulator.teamID)
        else { return nil }
        let (registry, loop, watch) = (SimulatorRegistry(process), process.loops[0], process.watch)
        let page = process.installation.settings.simulatorURL
        return AppleSimulator(teamID: appleTeam, pageURL: page) { registration, returnURL, notificationURL in
            let client = Client(registration: registration, returnURL: returnURL, notificationURL: notificationURL)
            let problems = try await loop.run { try await registry.add(client) }
            watch.announce(team)
            return problems
        }
    }

    /// A group of apps to register, with the URLs at which Pippin takes the simulator's answers.
    struct Client: Sendable {
        let registration: AppleRegistration
        let returnURL: String
        let notificationURL: String
    }
}

/// The registry of the simulator's team, in place of Apple's developer portal.
private struct SimulatorRegistry: Sendable {
    private let provisioner: Provisioner

    init(_ process: ServerProcess) {
        // At the simulator, as at Apple, return URLs may lead to Pippin itself.
        provisioner = process.provisioner(apartFrom: nil)
    }

    /// Makes the team unless it exists, and adds a client to its registry; removes none.
    ///
    /// - Returns: the errors; none on success.
    func add(_ client: Simulation.Client?) async throws -> FieldErrors {
        var members: [JSONValue] = []
        var keys: [JSONValue] = []
        if let client {
            let returnURLs = try await returnURLs(of: client)
            members = Self.apps(of: client, returnURLs)
            keys = [
                [
                    "id": .string(client.registration.keyID.rawValue), "name": "Pippin",
                    "appID": .string(client.registration.appID.rawValue),
                    "publicKeyPEM": .string(client.registration.key.publicKey.pem),
                ]
            ]
        }
        let team: JSONValue = [
            "id": .string(Simulator.teamID), "name": "Apple simulator", "mode": "sandbox", "appIDs": .array(members),
            "keys": .array(keys),
        ]
        let file: RegistryFile
        do { file = try RegistryFile(parsing: JSON.encode(["teams": [team]] as JSONValue)) { _ in [] } } catch {
            return error
        }
        guard case .refused(let problems) = try await provisioner.apply(file).outcome else { return FieldErrors() }
        return problems
    }

    /// The client's return URL behind those of its Services ID, because applying a file without them would delete them.
    private func returnURLs(of client: Simulation.Client) async throws -> [String] {
        guard let id = TeamID(rawValue: Simulator.teamID), let team = try await provisioner.entry(of: id) else {
            return [client.returnURL]
        }
        let services = (team.appIDs ?? []).flatMap { $0.serviceIDs ?? [] }
        let known = services.last { $0.identifier == client.registration.servicesID.rawValue }?.settings["returnURLs"]
        return (known?.strings ?? []).filter { $0 != client.returnURL } + [client.returnURL]
    }

    private static func apps(of client: Simulation.Client, _ returnURLs: [String]) -> [JSONValue] {
        let registration = client.registration
        let servicesID = JSONValue.string(registration.servicesID.rawValue)
        let primary = JSONValue.string(registration.appID.rawValue)
        let service: JSONValue = [
            "identifier": servicesID, "description": servicesID, "domains": ["localhost", "127.0.0.1"],
            "returnURLs": .strings(returnURLs),
        ]
        let others = registration.bundleIDs.filter { $0 != registration.appID }.map(\.rawValue).sorted()
        return [
            [
                "identifier": primary, "description": primary, "notificationURL": .string(client.notificationURL),
                "serviceIDs": [service],
            ]
        ] + others.map { ["identifier": .string($0), "description": .string($0), "primary": primary] }
    }
}

extension Settings {
    /// The Apple service; the simulator has another host name of this machine, so that sign-ins are cross-site.
    var apple: AppleService {
        guard simulatesApple else { return .apple }
        return AppleService(
            issuer: "\(publicURL.text)/t/\(Simulator.teamID)", base: simulatorURL, addresses: .publicAndLoopback)
    }

    /// Base URL of the simulator and its pages.
    var simulatorURL: String { "\(publicURL.beside("apple.localhost"))/apple" }
}
