public import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// Keeps trials, their private keys sealed.
public struct TrialStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    public init(database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        self.keyRing = keyRing
    }

    /// Stores a trial that was just begun, with its event.
    ///
    /// A day later it is purged: what it has seen is shown to one session only, and holds a person's data.
    public func insert(
        _ trial: Trial,
        privateKeyPEM: String,
        event: AuditEvent,
        in team: TeamID
    ) async throws(PostgresFailure) {
        let sealed = keyRing.seal(
            Array(privateKeyPEM.utf8),
            purpose: Self.purpose,
            context: Self.context(team, trial.id)
        )
        try await database.query(
            """
            WITH audit AS (
                \(event.insertion(in: team))
            )
            INSERT INTO trials (
                team_id, trial_id, service_id, session_hash, key_id, private_key_sealed, public_key_pem,
                return_url, nonce, state, wants_name, wants_email, response_mode, response_type, created_at,
                expires_at
            ) VALUES (
                \(team), \(trial.id), \(trial.serviceID), \(trial.sessionHash), \(trial.keyID), \(sealed),
                \(trial.publicKeyPEM), \(trial.returnURL), \(trial.nonce), \(trial.state), \(trial.scope.name),
                \(trial.scope.email), \(trial.responseMode.rawValue), \(trial.responseType.rawValue),
                \(trial.createdAt), \(trial.expiresAt)
            )
            """,
            in: team
        )
    }

    /// The trial, while it lasts.
    public func find(
        _ id: TrialID,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Trial? {
        try await one("trial_id = \(id) AND expires_at > \(moment)", in: team)
    }

    /// The trial, also when its time is over, for the page that shows what became of it.
    public func recall(_ id: TrialID, in team: TeamID) async throws(PostgresFailure) -> Trial? {
        try await one("trial_id = \(id)", in: team)
    }

    /// The trial that signs its client secrets with that key, while it lasts.
    func find(key: KeyID, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) -> Trial? {
        try await one("key_id = \(key) AND expires_at > \(moment)", in: team)
    }

    /// The private key of a trial, in PEM.
    public func privateKeyPEM(of id: TrialID, in team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query(
            "SELECT private_key_sealed FROM trials WHERE team_id = \(team) AND trial_id = \(id)",
            in: team
        )
        guard var row = rows.first else { return nil }
        let sealed: [UInt8] = try row.next()
        let opened = keyRing.open(sealed, purpose: Self.purpose, context: Self.context(team, id))
        return opened.flatMap { String(utf8: $0) }
    }

    /// The steps recorded so far, a JSON array.
    public func steps(of id: TrialID, in team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query(
            "SELECT steps::text FROM trials WHERE team_id = \(team) AND trial_id = \(id)",
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Keeps what a trial has come to, with its event, once: a second writer changes nothing and gets false.
    public func finish(
        _ id: TrialID,
        steps: String,
        event: AuditEvent,
        in team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            WITH finished AS (
                UPDATE trials SET steps = \(steps)::jsonb
                WHERE team_id = \(team) AND trial_id = \(id) AND steps = '[]'
                RETURNING trial_id
            ), audit AS (
                \(event.insertion(in: team, when: "FROM finished"))
            )
            SELECT trial_id FROM finished
            """,
            in: team
        )
        return !rows.isEmpty
    }

    private func one(_ condition: SQL, in team: TeamID) async throws(PostgresFailure) -> Trial? {
        let rows = try await database.query(
            """
            SELECT trial_id, service_id, session_hash, key_id, public_key_pem, return_url, state, nonce,
                wants_name, wants_email, response_mode, response_type, created_at, expires_at
            FROM trials
            WHERE team_id = \(team) AND \(condition)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try Trial(&row)
    }

    private static let purpose = "trials"

    private static func context(_ team: TeamID, _ id: TrialID) -> [String] {
        [team.rawValue, "trials", id.rawValue, "private_key_sealed"]
    }
}

extension Trial {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        serviceID = try row.next()
        sessionHash = try row.next()
        keyID = try row.next()
        publicKeyPEM = try row.next()
        returnURL = try row.next()
        state = try row.next()
        nonce = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        responseMode = try row.next()
        responseType = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
    }
}
