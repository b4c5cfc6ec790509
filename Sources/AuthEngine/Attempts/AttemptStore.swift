public import Bytes
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

    /// Stores a request that passed the checks, for the browser that sent it.
    func insert(
        _ request: AuthorizationRequest,
        id: AttemptID,
        browserHash: [UInt8],
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            INSERT INTO attempts (
                team_id, slot, attempt_id, browser_hash, client_id, app_id, redirect_uri, response_type,
                response_mode, wants_name, wants_email, state, nonce, code_challenge, trial_id, created_at
            ) VALUES (
                \(team), \(id.slot.number), \(id), \(browserHash), \(request.client.id),
                \(request.client.group), \(request.redirectURI), \(request.responseType),
                \(request.responseMode), \(request.scope.name), \(request.scope.email), \(request.state),
                \(request.nonce), \(request.codeChallenge), \(request.trial), \(moment)
            )
            """,
            in: team
        )
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
            SELECT attempt_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name,
                wants_email, state, nonce, code_challenge, trial_id, created_at
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
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        clientID = try row.next()
        group = try row.next()
        redirectURI = try row.next()
        responseType = try row.next()
        responseMode = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        state = try row.next()
        nonce = try row.next()
        codeChallenge = try row.next()
        trial = try row.next()
        createdAt = try row.next()
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

/// Makes the partitions of the months to come.
public struct Partitions: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) {
        self.database = database
    }

    public func make() async throws(PostgresFailure) {
        try await database.query("SELECT pippin_make_partitions()")
    }
}
