import AuthEngine
import Bytes
import Console
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

    /// Registers apps at the stand-in, before anything is served.
    func register(_ registrations: [Registration], in house: House) throws(CommandFailure) {
        let desk = RegistrationDesk(house)
        let problems: [Problem]
        do {
            problems = try house.loops[0].wait { try await desk.register(registrations) }
        } catch {
            throw CommandFailure("the stand-in cannot be registered: \(error)")
        }
        guard problems.isEmpty else {
            throw CommandFailure(
                problems,
                after: "the stand-in was refused: ",
                saying: house.installation.settings.resources
            )
        }
    }

    /// What the console offers in place of Apple's developer portal.
    func standIn(in house: House) -> AppleStandIn? {
        guard let team = TeamID(rawValue: Simulator.teamID),
            let appleTeam = AppleTeamID(rawValue: Simulator.teamID)
        else { return nil }
        let (desk, loop, watch) = (RegistrationDesk(house), house.loops[0], house.watch)
        let page = house.installation.settings.standInURL
        return AppleStandIn(teamID: appleTeam, pageURL: page) { registration, returnURL, notificationURL in
            let registrations = [
                Registration(registration, returnURL: returnURL, notificationURL: notificationURL)
            ]
            let problems = try await loop.run { try await desk.register(registrations) }
            watch.announce(team)
            return problems
        }
    }
}

extension Settings {
    /// Where Apple is spoken to: the stand-in on another host of this machine, so that browsers meet another site there.
    var apple: AppleService {
        guard simulatesApple else { return .apple }
        return AppleService(
            issuer: "\(publicURL.text)/t/\(Simulator.teamID)",
            base: standInURL,
            addresses: .publicAndLoopback
        )
    }

    /// Where the stand-in and its pages are.
    var standInURL: String { "\(publicURL.beside("apple.localhost"))/apple" }
}
