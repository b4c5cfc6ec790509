public import Core
import Directory
public import Platform
public import Postgres

/// Stores interactions.
///
/// A crash of the server may lose the last moments; the user then starts again.
public struct InteractionStore: Sendable {
    let database: TeamDatabase

    public init(database: TeamDatabase) { self.database = database }

    /// Stores a new interaction, bound to the browser of the request.
    func insert(_ interaction: Interaction, browserHash: [UInt8], in team: TeamID) async throws(PostgresFailure) {
        let insertion = Self.insertion(of: interaction, browserHash: browserHash, in: team)
        try await database.query(insertion, in: team, durability: .relaxed)
    }

    public static func insertion(of interaction: Interaction, browserHash: [UInt8], in team: TeamID) -> SQL {
        let app = interaction.app
        return """
            INSERT INTO attempts (
                team_id, slot, attempt_id, browser_hash, client_id, app_id, redirect_uri, response_type,
                response_mode, wants_name, wants_email, state, nonce, code_challenge, trial_id, next_path, language,
                login_hint, sets_session_aside, created_at
            ) VALUES (
                \(team), \(interaction.id.slot.number), \(interaction.id), \(browserHash), \(app?.clientID), \(app?.primaryAppID),
                \(app?.redirectURI), \(app?.responseType), \(app?.responseMode), \(app?.scope.name ?? false),
                \(app?.scope.email ?? false), \(app?.state), \(app?.nonce), \(app?.codeChallenge), \(app?.testSignIn),
                \(interaction.next), \(interaction.language), \(app?.loginHint), \(interaction.progress.requiresReauthentication),
                \(interaction.createdAt)
            )
            """
    }

    /// Finds the unexpired interaction of that browser.
    func find(_ id: InteractionID, browserHash: [UInt8], in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure) -> Interaction?
    {
        let rows = try await database.query(
            """
            SELECT \(Interaction.columns)
            FROM attempts
            WHERE team_id = \(team) AND \(id.slot.condition) AND attempt_id = \(id)
                AND browser_hash = \(browserHash) AND created_at > \(moment - Interaction.lifetime)
            """, in: team)
        guard var row = rows.first else { return nil }
        return try Interaction(&row)
    }

    /// Ends an interaction without a code; false when it no longer exists.
    func remove(_ id: InteractionID, browserHash: [UInt8], in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            DELETE FROM attempts
            WHERE team_id = \(team) AND \(id.slot.condition) AND attempt_id = \(id)
                AND browser_hash = \(browserHash)
            RETURNING attempt_id
            """, in: team, durability: .relaxed)
        return !rows.isEmpty
    }
}

extension Interaction {
    /// The columns that `init` reads, in order.
    static let columns: SQL = """
        attempt_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
        nonce, code_challenge, trial_id, login_hint, next_path, language, sub, login, first_factor,
        first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, sets_session_aside,
        created_at
        """

    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        let app = try AuthorizationRequest(&row)
        let next: String? = try row.next()
        goal = app.map { .app($0) } ?? .account(next: next)
        language = try row.next()
        progress = try InteractionProgress(&row)
        createdAt = try row.next()
    }
}

extension AuthorizationRequest {
    /// Reads all request columns; nil when the interaction has no app.
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let (clientID, primaryAppID): (ClientID?, ClientID?) = (try row.next(), try row.next())
        let redirectURI: String? = try row.next()
        let responseType: AuthorizationRequest.ResponseType? = try row.next()
        let responseMode: AuthorizationRequest.ResponseMode? = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        state = try row.next()
        nonce = try row.next()
        codeChallenge = try row.next()
        testSignIn = try row.next()
        loginHint = try row.next()
        guard let clientID, let primaryAppID, let redirectURI, let responseType, let responseMode else { return nil }
        self.clientID = clientID
        self.primaryAppID = primaryAppID
        self.redirectURI = redirectURI
        self.responseType = responseType
        self.responseMode = responseMode
    }
}

extension InteractionProgress {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        let subject: Subject? = try row.next()
        let login: String? = try row.next()
        let first = try Self.proof(&row)
        let due: SecondFactorDue? = try row.next()
        second = try Self.proof(&row)
        enteredAt = try row.next()
        requiresReauthentication = try row.next()
        if let subject, let first, let due {
            identity = Identity(subject: subject, login: login ?? "", proof: first, due: due)
        } else {
            identity = nil
        }
    }

    private static func proof(_ row: inout Row) throws(PostgresFailure) -> Proof? {
        let (method, at): (ProofMethod?, Timestamp?) = (try row.next(), try row.next())
        guard let method, let at else { return nil }
        return Proof(method, at: at)
    }
}

/// Empties the time partition after next, for all teams at once.
public struct TimePartitionSweep: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) { self.database = database }

    /// Empties the partition; to be called every few minutes, at almost no cost when it is empty already.
    public func run(at moment: Timestamp) async throws(PostgresFailure) {
        try await database.query("SELECT pippin_empty_slot(\(TimePartition(at: moment).afterNext.number)::integer)")
    }
}

/// Creates the time partitions of coming months and weeks, and drops those of expired sign-in traces.
public struct Partitions: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) { self.database = database }

    public func make() async throws(PostgresFailure) {
        try await database.query("SELECT pippin_make_partitions()")
        try await database.query("SELECT pippin_keep_flows()")
    }
}
