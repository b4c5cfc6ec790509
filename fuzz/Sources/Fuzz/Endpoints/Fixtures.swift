import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Platform
import Postgres
import Registry

@testable import pippin

/// Contents of the database before the first request: the demo, users of every kind, and another team.
///
/// Every text of the other team contains a mark that no response to other users may show.
struct Fixtures {
    static let password = "plant-a-pip-today"
    /// In lower case; the search ignores case.
    static let mark = "zqrival"

    let process: ServerProcess
    let conninfo: String

    func plant() throws -> [Person: (team: TeamID, subject: Subject)] {
        try apply(Self.rival)
        try apply(Self.more)
        guard let team = TeamID(rawValue: Site.team) else { fatalError("a team of ours") }
        let (owner, chief) = (try account("Olive"), try account("Oscar"))
        try admin("INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, 'owner')", Site.team, owner.rawValue)
        try admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, 'operator')", TeamID.system.rawValue,
            chief.rawValue)
        let found = try admin("SELECT sub FROM users WHERE team_id = $1 AND email = 'ada@acme.example'", Site.team)
        guard let ada = found.first?.first.flatMap({ $0 }).flatMap(Subject.init(rawValue:)) else {
            fatalError("no Ada")
        }
        // Cheap hashes, because the standard cost would slow down every sign-in.
        let cheap = try Argon2id(memoryKiB: 8, passes: 1).hash(Self.password).text
        try admin("UPDATE passwords SET hash = $1", cheap)
        return [.owner: (.system, owner), .operator: (.system, chief), .ada: (team, ada)]
    }

    private func account(_ name: String) throws -> Subject {
        guard let person = PersonName(given: name, family: "") else { fatalError("a name of ours") }
        let new = NewUser(name: person, email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"))
        let database = TeamDatabase(process.loopServices[0].app)
        return try process.loops[0].wait {
            try await database.change(in: .system, by: .system("fuzz"), from: .local) { change in
                try await UserStore(database).create(new, change)
            }
        }
    }

    @discardableResult private func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, values)
    }

    private func apply(_ json: String) throws {
        let file = try RegistryFile(parsing: Array(json.utf8)) { _ in [] }
        let report = try ApplyCommand.apply(file, ApplyOptions(), in: process)
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

    /// An object of every kind that a team may have.
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
