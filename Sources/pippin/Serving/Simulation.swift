import Bytes
import Console
import Crypto
import Domain
import EventLoop
import Federation
import HTTPClient
import OAuth
import Provisioning
import Registry
import Simulator
import Tenancy

/// The Apple simulator in this process: its team, its simulated users, and its registered clients.
struct Simulation: Sendable {
    /// Behavior of the simulator, shared by the loops.
    let script: Script

    /// Creates the simulator's team and users; repeating it changes nothing.
    static func load(_ process: ServerProcess) throws(CommandFailure) -> Simulation {
        let simulation: Simulation
        do { simulation = Simulation(script: Script(extraKey: try RSASigningKey.generate())) } catch {
            throw CommandFailure("the stand-in for Apple gets no key: \(error)")
        }
        try simulation.register([], in: process)
        let database = process.loopServices[0].database
        do {
            try process.loops[0].wait {
                if let team = TeamID(rawValue: Simulator.teamID) { try await Cast(database).admit(to: team) }
            }
        } catch { throw CommandFailure("the stand-in for Apple gets no people: \(error)") }
        return simulation
    }

    /// Registers clients at the simulator, before the server starts.
    func register(_ registrations: [Registration], in process: ServerProcess) throws(CommandFailure) {
        let desk = ClientRegistration(process)
        let problems: [FieldError]
        do { problems = try process.loops[0].wait { try await desk.register(registrations) } } catch {
            throw CommandFailure("the stand-in cannot be registered: \(error)")
        }
        guard problems.isEmpty else {
            throw CommandFailure(
                problems, after: "the stand-in was refused: ", saying: process.installation.settings.resources)
        }
    }

    /// The console's registration at the simulator, in place of Apple's developer portal.
    func standIn(in process: ServerProcess) -> AppleStandIn? {
        guard let team = TeamID(rawValue: Simulator.teamID), let appleTeam = AppleTeamID(rawValue: Simulator.teamID)
        else { return nil }
        let (desk, loop, watch) = (ClientRegistration(process), process.loops[0], process.watch)
        let page = process.installation.settings.standInURL
        return AppleStandIn(teamID: appleTeam, pageURL: page) { registration, returnURL, notificationURL in
            let registrations = [Registration(registration, returnURL: returnURL, notificationURL: notificationURL)]
            let problems = try await loop.run { try await desk.register(registrations) }
            watch.announce(team)
            return problems
        }
    }
}

extension Settings {
    /// The Apple service; the simulator has another host name of this machine, so that sign-ins are cross-site.
    var apple: AppleService {
        guard simulatesApple else { return .apple }
        return AppleService(
            issuer: "\(publicURL.text)/t/\(Simulator.teamID)", base: standInURL, addresses: .publicAndLoopback)
    }

    /// Base URL of the simulator and its pages.
    var standInURL: String { "\(publicURL.beside("apple.localhost"))/apple" }
}
