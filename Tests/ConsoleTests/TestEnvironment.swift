import Bytes
import Crypto
import Directory
import Domain
import EventLoop
import HTTP
import HTTPClient
import Hosted
import Log
import Postgres
import Simulator
import Synchronization
import Templates
import Tenancy
import TestDatabase
import TestNames
import TestTeams
import Testing
import Web

@testable import Console

/// A running console on a migrated database: the teams Acme and Rival, and somebody for every role.
struct TestEnvironment: Sendable {
    static let acme = team("ACMETEAM01")
    static let rival = team("RIVALTEAM1")
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")

    let conninfo: String
    let publicURL: String
    /// The time of the console, the hosted pages and Apple's stand-in, which stands; that of the database goes on.
    let clock: TestClock
    let parts: Console.Parts
    let mounted: [MountedRoute]
    /// Every address of the console, the hosted pages and Apple's stand-in, behind its method.
    let addresses: [String]
    let client: HTTPClient
    let loop: EventLoop
    /// What DNS says.
    let names: TestNameServer
    /// Under both roles.
    let databases: [Database]
    /// What Apple's stand-in does.
    let script: Script
    let owner: OwnerConnection

    var now: Timestamp { clock.now }

    /// Runs a statement beyond the wall, as the owner of the database.
    @discardableResult func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try owner.execute(statement, values)
    }

    /// Statements that pages have asked for so far.
    func statementCount() -> Int { databases.map(\.statementCount).reduce(0, +) }

    func count(_ table: String) throws -> Int? { try admin("SELECT count(*) FROM \(table)")[0][0].flatMap { Int($0) } }

    /// The actions in a team's log, the oldest first.
    func actions(in team: TeamID = acme) throws -> [String] {
        try admin("SELECT action FROM audit_events WHERE team_id = $1 ORDER BY at", team.rawValue).compactMap { $0[0] }
    }

    /// Adds a user, to the system team a console account.
    func add(_ name: String, to team: TeamID = .system) async throws -> Subject {
        let new = NewUser(
            name: try #require(PersonName(given: name, family: "")),
            email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"))
        return try await UserStore(parts.database).create(new, in: team, by: .system("test"), from: Self.origin)
    }

    /// Adds so many auditors to a team beyond all rules, each with a console account.
    func addMembers(_ count: Int, to team: TeamID = acme) throws {
        let sub = "'000000.' || lpad(to_hex(n), 32, '0') || '.0000' FROM generate_series(1, $1::integer) AS n"
        try admin("INSERT INTO users (team_id, sub) SELECT 'PIPPIN0000', \(sub)", String(count))
        try admin(
            "INSERT INTO memberships (role, team_id, sub) SELECT 'auditor', $2, \(sub)", String(count), team.rawValue)
    }

    /// A browser in which somebody new is signed in, who has these roles.
    func signedIn(_ name: String, _ roles: [TeamID: Role] = [:]) async throws -> Browser {
        let subject = try await add(name)
        for (team, role) in roles {
            try admin(
                "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)", team.rawValue, subject.rawValue,
                role.rawValue)
        }
        var browser = Browser(environment: self, subject: subject)
        let token = try await parts.sessions.begin(for: subject, in: .system, from: Self.origin, at: now)
        browser.cookies = [
            "pippin-PIPPIN0000": token.text, "pippin-browser": Base64URL.encode(parts.server.random.bytes(16)),
        ]
        return browser
    }

    /// One of every kind, named as the tests speak of them.
    func everybody() async throws -> [String: Browser] {
        var all: [String: Browser] = ["nobody": Browser(environment: self, subject: nil)]
        for role in [Role.owner, .admin, .developer, .auditor] {
            all[role.rawValue] = try await signedIn(role.rawValue, [Self.acme: role])
        }
        all["operator"] = try await signedIn("operator", [.system: .operator])
        all["stranger"] = try await signedIn("Cleo")
        all["Rival’s owner"] = try await signedIn("Ben", [Self.rival: .owner])
        return all
    }

    /// Ada of Acme, with an app she uses, a session and a token.
    func addAda(to team: TeamID = acme) async throws -> Subject {
        let ada = try await add("Ada", to: team)
        let values = [team.rawValue, "com.acme.app", ada.rawValue]
        for statement in Self.use { try owner.execute(statement, values) }
        _ = try await parts.sessions.begin(for: ada, in: team, from: Self.origin, at: now)
        return ada
    }

    private static let use = [
        """
        WITH known AS (
            INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ($1, $2, 'app') RETURNING 1
        ) SELECT $3::text FROM known
        """,
        """
        WITH known AS (
            INSERT INTO app_ids (team_id, identifier, description) VALUES ($1, $2, 'Acme''s app') RETURNING 1
        ) SELECT $3::text FROM known
        """,
        """
        INSERT INTO consents (team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip)
        VALUES ($1, $3, $2, true, true, false, now(), '203.0.113.7')
        """,
        """
        INSERT INTO refresh_tokens (
            team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
        ) VALUES ($1, '\\x000102030405060708090a0b0c0d0e0f', $3, $2, $2, now(), now(), now())
        """,
    ]

    private static func team(_ id: String) -> TeamID {
        guard let team = TeamID(rawValue: id) else { preconditionFailure(id) }
        return team
    }
}

/// A connection of the database's owner, kept as long as the test lasts.
final class OwnerConnection: Sendable {
    private let connection: Mutex<AdminConnection>

    init(_ conninfo: String) throws { connection = Mutex(try AdminConnection(to: conninfo)) }

    @discardableResult func execute(_ statement: String, _ values: [String?]) throws -> [[String?]] {
        try connection.withLock { try $0.execute(statement, values) }
    }
}
