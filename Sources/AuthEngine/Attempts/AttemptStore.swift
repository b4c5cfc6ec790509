public import Bytes
import Directory
public import Domain
public import Postgres

/// Keeps the sign-ins under way.
///
/// A crash of the server may lose the last moments: the person starts again.
public struct AttemptStore: Sendable {
    let database: TeamDatabase

    public init(database: TeamDatabase) {
        self.database = database
    }

    /// Stores a sign-in that begins, for the browser that asked.
    func insert(
        _ attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) {
        let insertion = Self.insertion(of: attempt, browserHash: browserHash, in: team)
        try await database.queryRelaxed(insertion, in: team)
    }

    static func insertion(of attempt: Attempt, browserHash: [UInt8], in team: TeamID) -> SQL {
        let app = attempt.app
        return """
            INSERT INTO attempts (
                team_id, slot, attempt_id, browser_hash, client_id, app_id, redirect_uri, response_type,
                response_mode, wants_name, wants_email, state, nonce, code_challenge, trial_id, next_path, language,
                login_hint, sets_session_aside, created_at
            ) VALUES (
                \(team), \(attempt.id.slot.number), \(attempt.id), \(browserHash), \(app?.clientID), \(app?.group),
                \(app?.redirectURI), \(app?.responseType), \(app?.responseMode), \(app?.scope.name ?? false),
                \(app?.scope.email ?? false), \(app?.state), \(app?.nonce), \(app?.codeChallenge), \(app?.trial),
                \(attempt.next), \(attempt.language), \(attempt.loginHint), \(attempt.progress.setsSessionAside),
                \(attempt.createdAt)
            )
            """
    }

    /// The attempt of that browser, while it lasts.
    func find(
        _ id: AttemptID,
        browserHash: [UInt8],
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Attempt? {
        let rows = try await database.query(
            """
            SELECT \(Attempt.columns)
            FROM attempts
            WHERE team_id = \(team) AND \(id.slot.condition) AND attempt_id = \(id)
                AND browser_hash = \(browserHash) AND created_at > \(moment - Attempt.lifetime)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try Attempt(&row)
    }

    /// Ends the attempt without a code; false when another request was faster.
    func remove(
        _ id: AttemptID,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await database.queryRelaxed(
            """
            DELETE FROM attempts
            WHERE team_id = \(team) AND \(id.slot.condition) AND attempt_id = \(id)
                AND browser_hash = \(browserHash)
            RETURNING attempt_id
            """,
            in: team
        )
        return !rows.isEmpty
    }
}

extension Attempt {
    /// What `init` reads, in its order.
    static let columns: SQL = """
        attempt_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
        nonce, code_challenge, trial_id, next_path, language, login_hint, sub, login, first_factor,
        first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, sets_session_aside,
        created_at
        """

    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        let app = try AppRequest(&row)
        let next: String? = try row.next()
        goal = app.map { .app($0) } ?? .account(next: next)
        language = try row.next()
        loginHint = try row.next()
        progress = try AttemptProgress(&row)
        createdAt = try row.next()
    }
}

extension AppRequest {
    /// Reads all of its columns; nil where the attempt has no app.
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let (clientID, group): (ClientID?, ClientID?) = (try row.next(), try row.next())
        let redirectURI: String? = try row.next()
        let responseType: AuthorizationRequest.ResponseType? = try row.next()
        let responseMode: AuthorizationRequest.ResponseMode? = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        state = try row.next()
        nonce = try row.next()
        codeChallenge = try row.next()
        trial = try row.next()
        guard let clientID, let group, let redirectURI, let responseType, let responseMode else { return nil }
        self.clientID = clientID
        self.group = group
        self.redirectURI = redirectURI
        self.responseType = responseType
        self.responseMode = responseMode
    }
}

extension AttemptProgress {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        let subject: Subject? = try row.next()
        let login: String? = try row.next()
        let first = try Self.proof(&row)
        let due: SecondFactorDue? = try row.next()
        second = try Self.proof(&row)
        enteredAt = try row.next()
        setsSessionAside = try row.next()
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

/// Empties the slot that is used after next, for all teams at once.
public struct SlotSweep: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) {
        self.database = database
    }

    /// Call it every few minutes: emptying an empty slot costs next to nothing.
    public func run(at moment: Timestamp) async throws(PostgresFailure) {
        try await database.query("SELECT pippin_empty_slot(\(Slot(at: moment).afterNext.number)::integer)")
    }
}

/// Makes the partitions of the months and weeks to come, and drops those of flows that are old enough.
public struct Partitions: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) {
        self.database = database
    }

    public func make() async throws(PostgresFailure) {
        try await database.query("SELECT pippin_make_partitions()")
        try await database.query("SELECT pippin_keep_flows()")
    }
}
