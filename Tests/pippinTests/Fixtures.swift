import Accounts
import Crypto
import Directory
import EventLoop
import Platform
import TestDatabase
import Testing

@testable import pippin

/// What the database holds before the first request: the demo and something of every kind that a team may have.
struct Fixtures: OwnedDatabase {
    let process: ServerProcess
    let conninfo: String

    func plant() throws -> Product.People {
        let file = try RegistryFile(parsing: Array(Self.registry.utf8)) { _ in [] }
        let report = try ApplyCommand.apply(file, ApplyOptions(), in: process)
        if case .refused(let problems) = report.outcome { Issue.record("refused: \(problems)") }
        let olive = try account("Olive")
        for (team, role) in [(Product.team, "owner"), (Product.rival, "owner"), ("PIPPIN0000", "operator")] {
            try admin("INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)", team, olive.rawValue, role)
        }
        let member = try account("Ben")
        try admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, 'developer')", Product.team, member.rawValue)
        for statement in Self.rows { try admin(statement) }
        let cheap = try Argon2id(memoryKiB: 8, passes: 1).hash(Self.password).text
        try admin("UPDATE passwords SET hash = $1", cheap)
        let found = try admin("SELECT sub FROM users WHERE team_id = $1 AND email = 'ada@acme.example'", Product.team)
        let ada = try #require(found.first?.first.flatMap { $0 }.flatMap(Subject.init(rawValue:)))
        return Product.People(olive: olive, ada: ada)
    }

    static let password = "plant-a-pip-today"

    private func account(_ name: String) throws -> Subject {
        let person = try #require(PersonName(given: name, family: ""))
        let new = NewUser(name: person, email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"))
        let database = TeamDatabase(process.loopServices[0].app)
        return try process.loops[0].wait {
            try await database.change(in: .system) { try await UserStore(database).create(new, $0) }
        }
    }

    private static let registry = """
        {"teams": [
          {"id": "\(Product.rival)", "name": "Rival", "mode": "sandbox", "identitySources": ["directory"],
           "users": [{"email": "rita@rival.example", "password": "fathom-plinth-ostrich-92"}]},
          {"id": "\(Product.team)",
           "appIDs": [
             {"identifier": "example.acme.second", "description": "Second", "primary": "example.acme.shop"},
             {"identifier": "example.acme.apart", "description": "Apart",
              "notificationURL": "http://127.0.0.1:9/notices"}
           ],
           "emailSources": [{"domain": "acme.example"}]}
        ]}
        """

    private static let rows = [
        """
        INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time)
        VALUES ('DEMOTEAM01', repeat('a', 26), 'example.acme.shop', 'consent-revoked', 'x', now())
        """,
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
        VALUES ('DEMOTEAM01', repeat('a', 26), 'test.errand', 1, '{}', now() + interval '1 year')
        """,
        """
        INSERT INTO mailbox (team_id, mail_id, of_team, message, recipient, subject, body_text, body_html)
        VALUES ('PIPPIN0000', repeat('a', 26), 'DEMOTEAM01', 'plain', 'ada@acme.example', '', '', '')
        """,
        """
        INSERT INTO app_transfers (team_id, transfer_id, target_team, app_id, registration, offered_at)
        VALUES ('RIVALTEAM1', repeat('a', 26), 'DEMOTEAM01', 'example.rival.app',
            '{"app": {"identifier": "example.rival.app", "description": "Offered"}, "services": [], "people": 0}', now())
        """,
        """
        INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint)
        VALUES ('DEMOTEAM01', 'DEMOKEY001', 'CI', 'example.acme.shop', 2, '', 'SHA256:0')
        """,
    ]
}
