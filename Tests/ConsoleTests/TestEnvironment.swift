import Core
import Crypto
import Directory
import EventLoop
import HTTP
import Platform
import Postgres
import SignIn
import Simulator
import Templates
@_exported import TestDatabase
import TestNames
import TestTeams
import Testing

@testable import Console

/// A running console on a migrated database: the teams Acme and Rival, and somebody for every role.
struct TestEnvironment: OwnedDatabase, Sendable {
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")

    let conninfo: String
    let publicURL: String
    /// The time of the console, the hosted pages and the Apple simulator, which stands; that of the database goes on.
    let clock: TestClock
    let parts: Console.Parts
    let mounted: [MountedRoute]
    /// Every address of the console, the hosted pages and the Apple simulator, behind its method.
    let addresses: [String]
    let client: HTTPClient
    let loop: EventLoop
    /// What DNS says.
    let names: TestNameServer
    /// Under both roles.
    let databases: [Database]
    /// What the Apple simulator does.
    let script: Script

    /// That of the test that runs.
    @TaskLocal static var lent: TestEnvironment?

    var now: Timestamp { clock.now }

    /// Statements that pages have asked for so far.
    func statementCount() -> Int { databases.map(\.statementCount).reduce(0, +) }

    /// Adds a user, to the system team a console account.
    func add(_ name: String, to team: TeamID = .system) async throws -> Subject {
        let new = NewUser(
            name: try #require(PersonName(given: name, family: "")),
            email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"))
        return try await parts.database.change(in: team) { try await UserStore(parts.database).create(new, $0) }
    }

    /// A browser in which somebody new is signed in, who has these roles.
    func signedIn(_ name: String, _ roles: [TeamID: Role] = [:]) async throws -> Browser {
        let subject = try await add(name)
        for (team, role) in roles { try addMember(subject, role.rawValue, to: team) }
        var browser = Browser(subject: subject)
        let token = try await parts.sessions.begin(for: subject, in: .system, from: Self.origin, at: now)
        browser.cookies = [
            "pippin-PIPPIN0000": token.text, "pippin-browser": Base64URL.encode(parts.server.random.bytes(16)),
        ]
        return browser
    }

    /// The same for somebody of Acme, once its app has a Service ID.
    func acmeWeb(_ name: String, _ role: Role) async throws -> Browser {
        _ = try await addAcmeWeb()
        return try await signedIn(name, [.acme: role])
    }

    /// One of every kind, named as the tests speak of them.
    func everybody() async throws -> [String: Browser] {
        var all: [String: Browser] = ["nobody": Browser(subject: nil)]
        for role in [Role.owner, .admin, .developer, .auditor] {
            all[role.rawValue] = try await signedIn(role.rawValue, [TeamID.acme: role])
        }
        all["operator"] = try await signedIn("operator", [.system: .operator])
        all["stranger"] = try await signedIn("Cleo")
        all["Rival’s owner"] = try await signedIn("Ben", [TeamID.rival: .owner])
        return all
    }

    /// Ada of Acme, with an app she uses, a session and a token.
    func addAda(to team: TeamID = .acme) async throws -> Subject {
        let ada = try await add("Ada", to: team)
        try admin(
            "INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ($1, 'com.acme.app', 'app')",
            team.rawValue)
        try admin(
            "INSERT INTO app_ids (team_id, identifier, description) VALUES ($1, 'com.acme.app', 'Acme''s app')",
            team.rawValue)
        try admin(
            """
            INSERT INTO consents (team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip)
            VALUES ($1, $2, 'com.acme.app', true, true, false, now(), '203.0.113.7')
            """, team.rawValue, ada.rawValue)
        try admin(
            """
            INSERT INTO refresh_tokens (
                team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
            ) VALUES ($1, '\\x000102030405060708090a0b0c0d0e0f', $2, 'com.acme.app', 'com.acme.app', now(), now(), now())
            """, team.rawValue, ada.rawValue)
        _ = try await parts.sessions.begin(for: ada, in: team, from: Self.origin, at: now)
        return ada
    }
}
