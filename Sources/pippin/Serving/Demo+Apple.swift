import Crypto
import Directory
import Domain
import EventLoop
import Federation
import Registry
import Simulator
import Tenancy

// The demo's connection to the Apple simulator.
extension Demo {
    private static let servicesID = "example.acme.siwa"

    /// Registers the demo's app at the Apple simulator, then stores the connection in the demo team, as a team would.
    ///
    /// An existing connection is kept.
    func connect(to simulation: Simulation, in process: ServerProcess) throws(CommandFailure) {
        guard let team = TeamID(rawValue: Self.teamID) else { return }
        let database = process.loopServices[0].database
        let keys = AppleKeyStore(database, keyRing: process.server.keyRing)
        let connections = AppleConnectionStore(database)
        let key = P256SigningKey.generate()
        let keyID = Self.keyID(of: key)
        do {
            let isConnected = try process.loops[0].wait { try await !connections.list(in: team).isEmpty }
            guard !isConnected, let id = KeyID(rawValue: keyID) else { return }
            let registration = Simulation.Registration(
                appID: Self.appID, servicesID: Self.servicesID,
                returnURLs: [process.server.returnURL(of: .apple, in: team)],
                notificationURL: process.server.notificationURL(of: .apple, in: team), keyID: id,
                publicKey: key.publicKey)
            try simulation.register([registration], in: process)
            let imported = try AppleKey.Import(
                parsing: AppleKey.Input(
                    id: keyID, appleTeamID: Simulator.teamID, name: "Demo", appID: Self.appID, privateKey: key.pem))
            let draft = try AppleConnection.Draft(
                parsing: AppleConnection.Input(appID: Self.appID, servicesID: Self.servicesID, keyID: keyID))
            let actor = Actor.system("demo")
            try process.loops[0].wait {
                try await database.transaction(in: team) { transaction in
                    _ = try await keys.create(imported, in: team, by: actor, from: .local, transaction)
                    _ = try await connections.save(draft, over: .none, in: team, by: actor, from: .local, transaction)
                }
            }
        } catch { throw CommandFailure("the demo cannot be connected to the stand-in for Apple: \(error)") }
    }
}
