public import Core
public import Crypto
public import Platform
public import Postgres

/// Stores test sign-ins, with encrypted private keys.
public struct TestSignInStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    public init(database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        self.keyRing = keyRing
    }

    /// Stores a new test sign-in and its audit event.
    ///
    /// It is purged after a day, because it contains a user's data and is shown to one session only.
    public func insert(_ testSignIn: TestSignIn, privateKeyPEM: String, event: AuditEvent, in team: TeamID)
        async throws(PostgresFailure)
    {
        let sealed = keyRing.seal(
            Array(privateKeyPEM.utf8), purpose: Self.purpose, context: Self.context(team, testSignIn.id))
        try await database.query(
            """
            WITH audit AS (
                \(event.insertion(in: team))
            )
            INSERT INTO test_sign_ins (
                team_id, test_sign_in_id, service_id, session_hash, key_id, private_key_sealed, public_key_pem,
                return_url, nonce, state, wants_name, wants_email, response_mode, response_type, created_at,
                expires_at
            ) VALUES (
                \(team), \(testSignIn.id), \(testSignIn.serviceID), \(testSignIn.sessionHash), \(testSignIn.keyID), \(sealed),
                \(testSignIn.publicKeyPEM), \(testSignIn.returnURL), \(testSignIn.nonce), '', \(testSignIn.scope.name),
                \(testSignIn.scope.email), \(testSignIn.responseMode.rawValue), \(testSignIn.responseType.rawValue),
                \(testSignIn.createdAt), \(testSignIn.expiresAt)
            )
            """, in: team)
    }

    /// Finds an unexpired test sign-in.
    public func find(_ id: TestSignInID, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure)
        -> TestSignIn?
    { try await one("test_sign_in_id = \(id) AND expires_at > \(moment)", in: team) }

    /// Finds a test sign-in even after its expiry, for the page that shows its result.
    public func recall(_ id: TestSignInID, in team: TeamID) async throws(PostgresFailure) -> TestSignIn? {
        try await one("test_sign_in_id = \(id)", in: team)
    }

    /// Finds the unexpired test sign-in whose client secrets are signed with that key.
    func find(key: KeyID, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) -> TestSignIn? {
        try await one("key_id = \(key) AND expires_at > \(moment)", in: team)
    }

    /// The private key of a test sign-in, in PEM.
    public func privateKeyPEM(of id: TestSignInID, in team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query(
            "SELECT private_key_sealed FROM test_sign_ins WHERE team_id = \(team) AND test_sign_in_id = \(id)", in: team
        )
        guard var row = rows.first else { return nil }
        let sealed: [UInt8] = try row.next()
        return open(sealed, Self.context(team, id))
    }

    /// The recorded steps, as a JSON array.
    public func steps(of id: TestSignInID, in team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query(
            "SELECT steps::text, steps_sealed FROM test_sign_ins WHERE team_id = \(team) AND test_sign_in_id = \(id)",
            in: team)
        guard var row = rows.first else { return nil }
        // Earlier servers stored them in clear.
        let (clear, sealed): (String, [UInt8]?) = (try row.next(), try row.next())
        return sealed == nil ? clear : sealed.flatMap { open($0, Self.context(team, id, "steps_sealed")) }
    }

    /// Stores the result of a test sign-in and its audit event, once; false when a result is stored already.
    public func finish(_ id: TestSignInID, steps: String, event: AuditEvent, in team: TeamID)
        async throws(PostgresFailure) -> Bool
    {
        let sealed = keyRing.seal(
            Array(steps.utf8), purpose: Self.purpose, context: Self.context(team, id, "steps_sealed"))
        let rows = try await database.query(
            """
            WITH finished AS (
                UPDATE test_sign_ins SET steps_sealed = \(sealed)
                WHERE team_id = \(team) AND test_sign_in_id = \(id) AND steps = '[]' AND steps_sealed IS NULL
                RETURNING test_sign_in_id
            ), audit AS (
                \(event.insertion(in: team, when: "FROM finished"))
            )
            SELECT test_sign_in_id FROM finished
            """, in: team)
        return !rows.isEmpty
    }

    private func one(_ condition: SQL, in team: TeamID) async throws(PostgresFailure) -> TestSignIn? {
        let rows = try await database.query(
            """
            SELECT test_sign_in_id, service_id, session_hash, key_id, public_key_pem, return_url, state, nonce,
                wants_name, wants_email, response_mode, response_type, created_at, expires_at
            FROM test_sign_ins
            WHERE team_id = \(team) AND \(condition)
            """, in: team)
        guard var row = rows.first else { return nil }
        return try TestSignIn(&row) { state(of: $0) }
    }

    /// The `state` of a test sign-in, derived from its ID so that it is not stored.
    public func state(of id: TestSignInID) -> String {
        let code = HMACSHA256(key: keyRing.derive(purpose: "test sign-in states")).code(for: Array(id.rawValue.utf8))
        return Base64URL.encode(Array(code.prefix(16)))
    }

    private func open(_ sealed: [UInt8], _ context: [String]) -> String? {
        keyRing.open(sealed, purpose: Self.purpose, context: context).flatMap { String(utf8: $0) }
    }

    private static let purpose = "test sign-ins"

    private static func context(_ team: TeamID, _ id: TestSignInID, _ column: String = "private_key_sealed") -> [String]
    { [team.rawValue, "test_sign_ins", id.rawValue, column] }
}

extension TestSignIn {
    fileprivate init(_ row: inout Row, state derived: (TestSignInID) -> String) throws(PostgresFailure) {
        id = try row.next()
        serviceID = try row.next()
        sessionHash = try row.next()
        keyID = try row.next()
        publicKeyPEM = try row.next()
        returnURL = try row.next()
        let stored: String = try row.next()
        state = stored.isEmpty ? derived(id) : stored
        nonce = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        responseMode = try row.next()
        responseType = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
    }
}

/// A sign-in that a member of the team runs as one of its Service IDs, to inspect it step by step.
public struct TestSignIn: Sendable {
    /// Time during which its key and return URL are valid.
    public static let lifetime = Duration.seconds(600)

    public let id: TestSignInID
    public let serviceID: ClientID
    /// The SHA-256 of the session of the member who runs it, the only one that can see it.
    public let sessionHash: [UInt8]
    public let keyID: KeyID
    public let publicKeyPEM: String
    public let returnURL: String
    public let state: String
    public let nonce: String
    public let scope: AuthorizationRequest.Scope
    public let responseMode: AuthorizationRequest.ResponseMode
    public let responseType: AuthorizationRequest.ResponseType
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    /// Makes a test sign-in that is valid for ten minutes from `moment`.
    public init(
        id: TestSignInID, of serviceID: ClientID, sessionHash: [UInt8], keyID: KeyID, publicKeyPEM: String,
        returnURL: String, state: String, nonce: String, scope: AuthorizationRequest.Scope,
        responseMode: AuthorizationRequest.ResponseMode, responseType: AuthorizationRequest.ResponseType = .code,
        at moment: Timestamp
    ) {
        self.id = id
        self.serviceID = serviceID
        self.sessionHash = sessionHash
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
        self.returnURL = returnURL
        self.state = state
        self.nonce = nonce
        self.scope = scope
        self.responseMode = responseMode
        self.responseType = responseType
        createdAt = moment
        expiresAt = moment + Self.lifetime
    }
}
