import Core
import Crypto
import Directory
import Federation
import Platform
import Postgres
import TestDatabase
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// The engine of both teams, asked as apps and browsers ask it.
struct Engine: Sendable, OwnedDatabase {
    let teams: TestTeams
    let authorization: Authorization
    let interactions: Interactions
    let tokens: TokenEndpoint
    let revocation: Revocation
    let traces: TraceRecorder

    init(_ teams: TestTeams) throws {
        self.teams = teams
        authorization = Authorization(testSignIns: teams.testSignIns)
        traces = TraceRecorder(loop: teams.loop, database: teams.database, server: teams.server)
        interactions = Interactions(
            server: teams.server, database: teams.database, consents: try teams.consents(), traces: traces)
        tokens = TokenEndpoint(
            server: teams.server, database: teams.database, ends: AuthorizationEndStore(teams.database), traces: traces)
        revocation = Revocation(database: teams.database, ends: AuthorizationEndStore(teams.database))
    }

    /// What an endpoint answers to a client, once it has proved itself.
    func respond(
        at endpoint: some ClientEndpoint, to parameters: ProtocolParameters, accessToken: String? = nil,
        of team: TeamSnapshot
    ) async throws -> [UInt8] {
        try await ClientAuthenticator(server: teams.server, database: teams.database).respond(
            at: endpoint, to: parameters, accessToken: accessToken, of: team, from: .test)
    }

    /// What another loop of the same process records with.
    func anotherRecorder() -> TraceRecorder {
        TraceRecorder(loop: teams.loop, database: teams.database, server: teams.server)
    }

    var conninfo: String { teams.conninfo }
    var clock: TestClock { teams.clock }
    var server: ServerContext { teams.server }
    var database: TeamDatabase { teams.database }
    var testSignIns: TestSignInStore { teams.testSignIns }
    var ada: Subject { teams.people.ada }
    var ben: Subject { teams.people.ben }
    var rivalAda: Subject { teams.people.rivalAda }

    /// The team as it is registered now.
    func snapshot(_ team: TeamID = .acme) async throws -> TeamSnapshot {
        let store = TeamSnapshotStore(database: teams.database, keyRing: teams.server.keyRing)
        return try #require(try await store.load(team))
    }
}

extension Origin { static let test = TestTeams.origin }

/// Lends `body` the engine of both teams, on its loop.
///
/// - Parameter limits: other numbers, by the names of rate limits.
func withEngine(limits: [String: Int] = [:], _ body: @escaping @Sendable (Engine) async throws -> Void) async throws {
    try await withTeams { try await body(Engine($0.limited(limits))) }
}

/// The same, with the tokens of a sign-in.
func withTokens(_ body: @escaping @Sendable (Engine, TokenAnswer) async throws -> Void) async throws {
    try await withEngine { try await body($0, try await $0.tokens()) }
}

/// The parameters of a request, with what a test changes in them; nil takes one away.
typealias Changes = [String: String?]

extension ProtocolParameters {
    init(_ base: [String: String], _ changes: Changes = [:]) throws(OAuthError) {
        let values = base.merging(changes.compactMapValues { $0 }) { $1 }
        let fields = values.filter { changes[$0.key] != .some(.none) }
        try self.init(fields.compactMap { field in FieldName(field.key).map { FormCoding.Field($0, field.value) } })
    }
}

// Signing in.
extension Engine {
    static let browser: [UInt8] = SHA256.hash("Ada's browser")

    /// What a web app asks for that wants nothing but to know who it is.
    static func request(of client: ClientID = .web) -> [String: String] {
        ["client_id": client.rawValue, "redirect_uri": TestTeams.callback, "response_type": "code"]
    }

    /// What a web app asks for that wants everything.
    static let fullRequest: Changes = [
        "scope": "name email", "response_mode": "form_post", "state": "state-1", "nonce": "nonce-1",
    ]

    func authorize(_ client: ClientID = .web, _ changes: Changes = [:], in team: TeamID = .acme) async throws
        -> AuthorizationRequest
    {
        try await authorization.judge(
            try ProtocolParameters(Self.request(of: client), changes), to: try await snapshot(team), at: clock.now)
    }

    /// A session that has just begun.
    func session(of person: Subject, in team: TeamID = .acme) async throws -> Session {
        let token = try await teams.sessions.begin(for: person, in: team, from: .test, at: clock.now)
        return try #require(try await teams.sessions.find(token, in: team, at: clock.now))
    }

    /// Takes a person through a whole sign-in, with the sheet where there is one.
    func signIn(
        _ person: Subject? = nil, to client: ClientID = .web, _ changes: Changes = [:],
        email: Consent.EmailChoice = .shared, in team: TeamID = .acme
    ) async throws -> AuthorizationResponse {
        let session = try await session(of: person ?? ada, in: team)
        let parameters = try ProtocolParameters(Self.request(of: client), changes)
        let request = try await authorization.judge(parameters, to: try await snapshot(team), at: clock.now)
        let interaction = interactions.open(
            request, sent: parameters.fields, browserHash: Self.browser, in: team, from: .test)
        try await interactions.begin(interaction)
        let choice = ConsentChoice(
            name: request.scope.name ? PersonName(given: "Ada", family: "King") : nil,
            email: request.scope.email ? email : .withheld)
        return try #require(try await answer(interaction, of: session, in: team, choice))
    }

    func code(for person: Subject? = nil, to client: ClientID = .web, _ changes: Changes = [:], in team: TeamID = .acme)
        async throws -> String
    { try #require(try await signIn(person, to: client, changes, in: team)["code"]) }
}

extension AuthorizationResponse {
    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    var names: [String] { parameters.map(\.name) }
}

extension Interactions {
    /// Opens a sign-in and stores it.
    func begin(_ request: AuthorizationRequest, browserHash: [UInt8], in team: TeamID, from origin: Origin) async throws
        -> Interaction
    {
        let interaction = open(request, browserHash: browserHash, in: team, from: origin)
        try await begin(interaction)
        return interaction
    }

    func begin(next: String, browserHash: [UInt8], in team: TeamID) async throws -> Interaction {
        let interaction = open(next: next, language: "de", browserHash: browserHash, in: team)
        try await begin(interaction)
        return interaction
    }
}
