import Bytes
import Domain
import EventLoop
import Postgres
import Tenancy
import TestDatabase
import Testing

/// A migrated database without teams, seen from a loop as Pippin sees it: as a team, and as the system.
struct TestEnvironment: Sendable {
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")
    static let noon = Timestamp(seconds: 1_800_000_000)

    let conninfo: String
    let database: TeamDatabase
    let system: SystemDatabase

    var teams: TeamStore { TeamStore(database) }
    var members: MembershipStore { MembershipStore(database) }
    var list: TeamListStore { TeamListStore(system) }
    var invitations: InvitationStore { InvitationStore(database) }
    var door: InvitationAcceptance { InvitationAcceptance(database, system) }
    var links: SetupLinkStore { SetupLinkStore(system) }

    /// A console account: a user of the system team.
    func addAccount(_ name: String) throws -> Subject {
        let subject = Subject(hexadecimal: name)
        try admin("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', $1)", subject.rawValue)
        return subject
    }

    /// Adds so many auditors to a team beyond all rules, each with a console account.
    func addMembers(_ count: Int, to team: TeamID) throws {
        let sub = "'000000.' || lpad(to_hex(n), 32, '0') || '.0000' FROM generate_series(1, $1::integer) AS n"
        try admin("INSERT INTO users (team_id, sub) SELECT 'PIPPIN0000', \(sub)", String(count))
        try admin(
            "INSERT INTO memberships (role, team_id, sub) SELECT 'auditor', $2, \(sub)", String(count), team.rawValue)
    }

    @discardableResult func addTeam(_ name: String, as id: String? = nil, owner: Subject? = nil) async throws -> TeamID
    {
        try await teams.create(
            settings(name), as: id.map { try #require(TeamID(rawValue: $0)) }, owner: owner, by: .command("test"),
            from: TestEnvironment.origin)
    }

    func settings(_ name: String) throws -> TeamSettings {
        let name = try #require(TeamName(rawValue: name))
        return try #require(TeamSettings(name: name, mode: .sandbox))
    }

    /// Runs a statement beyond the wall, as the owner of the database.
    @discardableResult func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, values)
    }

    /// The actions in a team's log, the oldest first.
    func actions(in team: TeamID) throws -> [String?] {
        try admin("SELECT action FROM audit_events WHERE team_id = $1 ORDER BY at", team.rawValue).map { $0[0] }
    }
}

/// Lends `body` a world of its own, on its loop.
func withEnvironment(_ body: @escaping @Sendable (TestEnvironment) async throws -> Void) async throws {
    try await withDatabase { conninfo in
        let loop = try EventLoop(name: "tenancy-test")
        try loop.start()
        defer { loop.stop() }
        try await loop.run {
            let app = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_app"))
            let system = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_system"))
            app.open()
            system.open()
            defer {
                app.close()
                system.close()
            }
            try await body(
                TestEnvironment(conninfo: conninfo, database: TeamDatabase(app), system: SystemDatabase(system)))
        }
    }
}

/// Runs `body` so many times at once on the caller's loop.
func inParallel<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value) async throws
    -> [Value]
{
    try await withThrowingTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
