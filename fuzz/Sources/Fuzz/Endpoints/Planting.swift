import Bytes
import Crypto
import Directory
import Domain
import EventLoop
import Postgres
import Provisioning
import Tenancy

@testable import pippin

/// What the database holds before the first request: the demo, people of every kind, and another team whose every text has a
/// mark that no answer to anybody else may show.
struct Planting {
    static let password = "plant-a-pip-today"
    /// In lower case; searched for whatever the case.
    static let mark = "zqrival"

    let house: House
    let conninfo: String

    func plant() throws -> [Person: (team: TeamID, subject: Subject)] {
        try apply(Self.rival)
        try apply(Self.more)
        guard let team = TeamID(rawValue: Site.team) else { fatalError("a team of ours") }
        let (owner, chief) = (try account("Olive"), try account("Oscar"))
        try admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, 'owner')",
            Site.team,
            owner.rawValue
        )
        try admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, 'operator')",
            TeamID.system.rawValue,
            chief.rawValue
        )
        let found = try admin(
            "SELECT sub FROM users WHERE team_id = $1 AND email = 'ada@acme.example'",
            Site.team
        )
        guard let ada = found.first?.first.flatMap({ $0 }).flatMap(Subject.init(rawValue:)) else {
            fatalError("no Ada")
        }
        // Nobody has the time for passwords that are hashed as they should be.
        let cheap = try Argon2id(memoryKiB: 8, passes: 1).hash(Self.password).text
        try admin("UPDATE passwords SET hash = $1", cheap)
        return [.owner: (.system, owner), .operator: (.system, chief), .ada: (team, ada)]
    }

    private func account(_ name: String) throws -> Subject {
        guard let person = PersonName(given: name, family: "") else { fatalError("a name of ours") }
        let new = NewUser(name: person, email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"))
        let users = UserStore(TeamDatabase(house.workers[0].app))
        return try house.loops[0].wait {
            try await users.create(new, in: .system, by: .system("fuzz"), from: .local)
        }
    }

    @discardableResult
    private func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, values)
    }

    private func apply(_ json: String) throws {
        let file = try RegistryFile(parsing: Array(json.utf8)) { _ in [] }
        let report = try ApplyCommand.apply(file, ApplyOptions(), in: house)
        if case .refused(let problems) = report.outcome { fatalError("\(problems)") }
    }

    private static let rival = """
        {"teams": [{
          "id": "ZQRIVALT01", "name": "Zqrival", "mode": "sandbox", "identitySources": ["directory"],
          "appIDs": [{
            "identifier": "com.zqrival.app", "description": "Zqrival app",
            "notificationURL": "https://zqrival.example/notices",
            "serviceIDs": [{
              "identifier": "com.zqrival.web", "description": "Zqrival web", "domains": ["zqrival.example"],
              "returnURLs": ["https://zqrival.example/callback"]
            }]
          }],
          "emailSources": [{"domain": "zqrival.example"}],
          "users": [{"email": "rita@zqrival.example", "password": "zqrival-fathom-plinth-ostrich-92", "givenName": "Zqrival",
                     "familyName": "Zqrivalova"}]
        }]}
        """

    /// Something of every kind that a team may have.
    private static let more = """
        {"teams": [{
          "id": "\(Site.team)",
          "appIDs": [
            {"identifier": "example.acme.second", "description": "Second", "primary": "example.acme.shop"},
            {"identifier": "example.acme.apart", "description": "Apart",
             "notificationURL": "http://127.0.0.1:9/notices"}
          ],
          "emailSources": [{"domain": "acme.example"}],
          "users": [{"email": "ben@acme.example", "password": "fathom-plinth-ostrich-92", "givenName": "Ben"}]
        }]}
        """
}
