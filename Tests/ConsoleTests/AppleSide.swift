import Core
import Crypto
import Federation
import HTTP
import OAuth
import Platform
import Registry
import Simulator
import Testing

@testable import Console

// Apple's side, played by the simulator on the console's own address.
extension TestEnvironment {
    static let appleSide: TeamID = {
        guard let team = TeamID(rawValue: Simulator.teamID) else { preconditionFailure("no team id") }
        return team
    }()

    /// Where Apple is for the console under test.
    static func apple(at publicURL: String) -> AppleService {
        AppleService(
            issuer: "\(publicURL)/t/\(Simulator.teamID)", base: "\(publicURL)/apple", addresses: .publicAndLoopback)
    }

    /// Makes the team of the simulator; the same for every test.
    func openAppleSide() throws {
        try admin("INSERT INTO teams (team_id, name, mode) VALUES ($1, 'Apple', 'sandbox')", Simulator.teamID)
    }

    /// Registers groups of apps at the simulator, as `pippin serve --simulate-apple` does.
    static func simulator(_ database: TeamDatabase, _ keyRing: KeyRing, _ teams: TeamCache) throws -> AppleSimulator {
        let appleTeam = try #require(AppleTeamID(rawValue: Simulator.teamID))
        return AppleSimulator(teamID: appleTeam, pageURL: "http://apple.localhost/apple") {
            registration, returnURL, _ in
            defer { teams.forget(appleSide) }
            return try await database.change(in: appleSide) { change in
                let portal = Portal(database: database, keyRing: keyRing)
                do {
                    try await portal.register(registration, returnURL, change)
                    return FieldErrors()
                } catch let refusal as ValidationError { return FieldErrors(refusal) }
            }
        }
    }
}

extension Browser {
    /// Connects Acme's App ID `com.acme.app` to an Apple team.
    mutating func connectAcme(_ pair: P256SigningKey = .generate(), to appleTeam: String = Simulator.teamID)
        async throws
    {
        let key = [
            ("privateKey", pair.pem), ("id", "KEY1234567"), ("teamID", appleTeam), ("name", "Acme at Apple"),
            ("appID", "com.acme.app"),
        ]
        let connection = [("appID", "com.acme.app"), ("servicesID", "com.acme.siwa"), ("keyID", "KEY1234567")]
        #expect(try await post("/console/ACMETEAM01/apple-keys", key).status == 303)
        #expect(try await post("/console/ACMETEAM01/apple", connection).status == 303)
    }
}
