import Core
import Crypto
import EventLoop
import Platform
import Postgres
@_exported import TestDatabase
import Testing

@testable import Registry

/// A migrated database without teams, seen from a loop as Pippin sees it: as a team, and as the system.
struct TestEnvironment: Sendable, OwnedDatabase {
    let conninfo: String
    let database: TeamDatabase
    let system: SystemDatabase

    var teams: TeamStore { TeamStore(database) }
    var members: MembershipStore { MembershipStore(database) }
    var list: TeamListStore { TeamListStore(system) }
    var rights: AccountRightsStore { AccountRightsStore(system) }
    var invitations: InvitationStore { InvitationStore(database) }
    var door: InvitationAcceptance { InvitationAcceptance(database, system) }
    var links: SetupLinkStore { SetupLinkStore(system) }

    /// A console account: a user of the system team.
    func addAccount(_ name: String) throws -> Subject {
        let subject = Subject(hexadecimal: name)
        try addPerson(subject)
        return subject
    }

    @discardableResult func addTeam(_ name: String, as id: String? = nil, owner: Subject? = nil) async throws -> TeamID
    {
        let id = try id.map { try #require(TeamID(rawValue: $0)) } ?? TeamID(random: .system)
        let settings = try settings(name)
        try await change(id) { change in try await TeamStore.create(settings, owner: owner, change) }
        return id
    }

    func change<Value>(
        _ team: TeamID, by actor: Actor = .command("test"), _ body: (borrowing Change) async throws -> Value
    ) async throws -> Value { try await database.change(in: team, by: actor, from: .test, body) }

    func add(_ account: Subject, as role: Role, to team: TeamID, by actor: Actor = .command("test")) async throws {
        try await change(team, by: actor) { change in try await MembershipStore.add(account, as: role, change) }
    }

    func update(_ team: TeamID, to settings: TeamSettings) async throws -> Update<Team> {
        try await change(team) { try await teams.update(to: settings, version: 1, $0) }
    }

    func settings(_ name: String) throws -> TeamSettings {
        TeamSettings(name: try #require(TeamName(rawValue: name)), mode: .sandbox)
    }
}

/// Lends `body` a world with Ada's account.
func withAda(_ body: @escaping @Sendable (TestEnvironment, Subject) async throws -> Void) async throws {
    try await withEnvironment { environment in try await body(environment, try environment.addAccount("ada")) }
}

/// Lends `body` a world of its own, on its loop.
func withEnvironment(_ body: @escaping @Sendable (TestEnvironment) async throws -> Void) async throws {
    try await withConnectedDatabase(hasTeams: false) { connected in
        try await body(
            TestEnvironment(
                conninfo: connected.conninfo, database: connected.database, system: connected.systemDatabase))
    }
}
