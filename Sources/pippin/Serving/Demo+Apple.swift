import AuthEngine
import Crypto
import Directory
import Domain
import EventLoop
import Registry
import Simulator
import Tenancy

// The demo's connection to Apple's stand-in.
extension Demo {
    private static let servicesID = "example.acme.siwa"

    /// Connects the demo's app as a team would: registered there, then here.
    ///
    /// A connection that stands is left alone.
    func connect(to simulation: Simulation, in house: House) throws(CommandFailure) {
        guard let team = TeamID(rawValue: Self.teamID) else { return }
        let database = TeamDatabase(house.workers[0].app)
        let keys = AppleKeyStore(database, keyRing: house.context.keyRing)
        let connections = AppleConnectionStore(database)
        let key = P256SigningKey.generate()
        let keyID = Self.keyID(of: key)
        do {
            let isConnected = try house.loops[0].wait { try await !connections.list(in: team).isEmpty }
            guard !isConnected, let id = KeyID(rawValue: keyID) else { return }
            let registration = Simulation.Registration(
                appID: Self.appID,
                servicesID: Self.servicesID,
                returnURLs: [house.context.returnURL(of: .apple, in: team)],
                notificationURL: house.context.notificationURL(of: .apple, in: team),
                keyID: id,
                publicKey: key.publicKey
            )
            try simulation.register([registration], in: house)
            let imported = try AppleKey.Import(
                parsing: AppleKey.Input(
                    id: keyID,
                    appleTeamID: Simulator.teamID,
                    name: "Demo",
                    appID: Self.appID,
                    privateKey: key.pem
                )
            )
            let draft = try AppleConnection.Draft(
                parsing: AppleConnection.Input(appID: Self.appID, servicesID: Self.servicesID, keyID: keyID)
            )
            let actor = Actor.system("demo")
            try house.loops[0].wait {
                try await database.transaction(in: team) { transaction in
                    _ = try await keys.create(imported, in: team, by: actor, from: .local, transaction)
                    _ = try await connections.save(
                        draft,
                        over: .none,
                        in: team,
                        by: actor,
                        from: .local,
                        transaction
                    )
                }
            }
        } catch {
            throw CommandFailure("the demo cannot be connected to the stand-in for Apple: \(error)")
        }
    }
}
