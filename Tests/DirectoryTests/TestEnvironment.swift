import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Federation
import OAuth
import Platform
import Postgres
@_exported import TestDatabase
import Testing

/// A migrated database with the teams Acme and Rival, seen from a loop as Pippin sees it.
struct TestEnvironment: Sendable, OwnedDatabase {
    /// Hashes fast, so that tests may compare many.
    static let cheap = Argon2id(memoryKiB: 8, passes: 1)

    let conninfo: String
    let loop: EventLoop
    let database: TeamDatabase

    var users: UserStore { UserStore(database) }
    var details: UserDetailStore { UserDetailStore(database) }
    var list: UserListStore { UserListStore(database) }
    var identities: UpstreamIdentityStore { UpstreamIdentityStore(database) }
    var sessions: SessionStore { SessionStore(database) }

    func consents(random: RandomSource = .system) throws -> ConsentStore {
        ConsentStore(database, relay: try #require(RelayDomain("relay.example")), random: random)
    }

    /// Adds a person who signs in as `<name>@acme.example`.
    @discardableResult func add(_ name: String, password: PasswordHash? = nil, to team: TeamID = .acme) async throws
        -> Subject
    {
        let new = NewUser(
            name: try #require(PersonName(given: name, family: "Lovelace")),
            email: EmailAddress(rawValue: "\(name)@acme.example"), isEmailVerified: true, password: password)
        return try await database.change(in: team) { try await users.create(new, $0) }
    }

    /// Deletes a person; false if the team has no such person.
    func delete(_ subject: Subject, by actor: Actor, reason: String? = nil, in team: TeamID = .acme) async throws
        -> Bool
    {
        try await database.change(in: team, by: actor, from: .test) { change in
            try await UserDeletionStore.delete(subject, reason: reason, change)
        }
    }

    /// Everything a team's log says of what changed, as one text.
    func log(of team: TeamID = .acme) throws -> String {
        try admin("SELECT concat(target, before, after) FROM audit_events WHERE team_id = $1", team.rawValue).compactMap
        { $0[0] }.joined()
    }

    /// A code and a refresh token as the engine leaves them.
    func issueTokens(to subject: Subject, app: ClientID, team: TeamID = .acme) throws {
        let id = String(Int.random(in: 0 ..< .max))
        try admin(
            """
            INSERT INTO refresh_tokens (
                team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
            ) VALUES ($1, decode(md5($2), 'hex'), $3, $4, $4, now(), now(), now())
            """, team.rawValue, id, subject.rawValue, app.rawValue)
        try admin(
            """
            INSERT INTO authorization_codes (
                team_id, time_partition, code_hash, client_id, app_id, sub, delivers_user, authenticated_at, expires_at
            ) VALUES ($1, 0, $2::text::bytea, $4, $4, $3, false, now(), now() + interval '5 minutes')
            """, team.rawValue, id, subject.rawValue, app.rawValue)
    }
}

/// Lends `body` a world of its own, on its loop.
func withEnvironment(_ body: @escaping @Sendable (TestEnvironment) async throws -> Void) async throws {
    try await withConnectedDatabase { connected in
        try await body(
            TestEnvironment(conninfo: connected.conninfo, loop: connected.loop, database: connected.database))
    }
}

/// The same, with Ada in Acme.
func withAda(_ body: @escaping @Sendable (TestEnvironment, Subject) async throws -> Void) async throws {
    try await withEnvironment { environment in try await body(environment, try await environment.add("Ada")) }
}
