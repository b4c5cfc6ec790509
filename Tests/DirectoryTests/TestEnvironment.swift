import Bytes
import Crypto
import Directory
import Domain
import EventLoop
import Glibc
import OAuth
import Postgres
import TestDatabase
import TestSupport
import Testing

/// A migrated database with the teams Acme and Rival, seen from a loop as Pippin sees it.
struct TestEnvironment: Sendable {
    static let acme = team("ACMETEAM01")
    static let rival = team("RIVALTEAM1")
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")
    static let app = client("com.acme.app")
    static let otherApp = client("com.acme.other")
    static let noon = Timestamp(seconds: 1_800_000_000)
    /// Hashes fast, so that tests may compare many.
    static let cheap = Argon2id(memoryKiB: 8, passes: 1)

    let conninfo: String
    let loop: EventLoop
    let database: TeamDatabase

    var users: UserStore { UserStore(database) }
    var sessions: SessionStore { SessionStore(database) }

    func consents(random: RandomSource = .system) throws -> ConsentStore {
        ConsentStore(database, relay: try #require(RelayDomain("relay.example")), random: random)
    }

    /// Adds a person who signs in as `<name>@acme.example`.
    @discardableResult func add(_ name: String, password: PasswordHash? = nil, to team: TeamID = acme) async throws
        -> Subject
    {
        let new = NewUser(
            name: try #require(PersonName(given: name, family: "Lovelace")),
            email: EmailAddress(rawValue: "\(name)@acme.example"), isEmailVerified: true, password: password)
        return try await users.create(new, in: team, by: .system("test"), from: Self.origin)
    }

    /// Runs a statement beyond the wall, as the owner of the database.
    @discardableResult func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, values)
    }

    func count(_ table: String, of subject: Subject) throws -> Int? {
        try admin("SELECT count(*) FROM \(table) WHERE sub = $1", subject.rawValue)[0][0].flatMap { Int($0) }
    }

    /// The actions in a team's log, the oldest first, without those that set the stage.
    func actions(in team: TeamID = acme) throws -> [String?] {
        try admin("SELECT action FROM audit_events WHERE team_id = $1 AND actor <> 'test' ORDER BY at", team.rawValue)
            .map { $0[0] }
    }

    /// Everything a team's log says of what changed, as one text.
    func log(of team: TeamID = acme) throws -> String {
        try admin("SELECT concat(target, before, after) FROM audit_events WHERE team_id = $1", team.rawValue).compactMap
        { $0[0] }.joined()
    }

    func addApp(_ id: ClientID, to team: TeamID = acme) throws {
        try admin(
            "INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ($1, $2, 'app')", team.rawValue,
            id.rawValue)
        try admin(
            "INSERT INTO app_ids (team_id, identifier, description) VALUES ($1, $2, 'Acme''s app')", team.rawValue,
            id.rawValue)
    }

    /// A code and a refresh token as the engine leaves them.
    func issueTokens(to subject: Subject, app: ClientID, team: TeamID = acme) throws {
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
                team_id, slot, code_hash, client_id, app_id, sub, delivers_user, authenticated_at, expires_at
            ) VALUES ($1, 0, $2::text::bytea, $4, $4, $3, false, now(), now() + interval '5 minutes')
            """, team.rawValue, id, subject.rawValue, app.rawValue)
    }

    private static func team(_ id: String) -> TeamID {
        guard let team = TeamID(rawValue: id) else { preconditionFailure(id) }
        return team
    }

    private static func client(_ id: String) -> ClientID {
        guard let client = ClientID(rawValue: id) else { preconditionFailure(id) }
        return client
    }
}

/// Lends `body` a world of its own, on its loop.
func withEnvironment(_ body: @escaping @Sendable (TestEnvironment) async throws -> Void) async throws {
    try await withDatabase { conninfo in
        try AdminConnection(to: conninfo).execute(
            """
            INSERT INTO teams (team_id, name, mode)
            VALUES ('ACMETEAM01', 'Acme', 'sandbox'), ('RIVALTEAM1', 'Rival', 'sandbox')
            """)
        let loop = try EventLoop(name: "directory-test")
        try loop.start()
        defer { loop.stop() }
        try await loop.run {
            let database = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_app"))
            database.open()
            defer { database.close() }
            try await body(TestEnvironment(conninfo: conninfo, loop: loop, database: TeamDatabase(database)))
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

/// Holds a thread until it is opened: it reads from a pipe.
final class Latch: Sendable {
    private let (exit, entrance): (Int32, Int32)

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        (exit, entrance) = (ends[0], ends[1])
    }

    deinit {
        close(exit)
        close(entrance)
    }

    func open() {
        var octet: UInt8 = 1
        _ = unsafe write(entrance, &octet, 1)
    }

    func wait() {
        var octet: UInt8 = 0
        while unsafe read(exit, &octet, 1) < 0 {}
    }
}
