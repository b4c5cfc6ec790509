import Core
import Crypto
import OAuth
import Platform
import Postgres

/// Records handovers of native apps by their hash, before Apple is asked.
///
/// The app keeps the body until it has its answer; a name in it is stored with the announced user
/// (`UpstreamAnnouncement`).
struct NativeHandoverStore: Sendable {
    private let database: TeamDatabase
    /// Time for which one request has exclusive use of a handover.
    private let claim: Duration

    /// - Parameter timeout: maximum time of the calls to the provider.
    init(_ database: TeamDatabase, timeout: Duration) {
        self.database = database
        claim = UpstreamRequestStore.claim(for: timeout)
    }

    /// Result of an earlier request with the same handover.
    struct Settled: Sendable {
        let subject: Subject
        let isNewUser: Bool
        let nonce: String?
        let at: Timestamp
    }

    /// Status of a handover, and when it first arrived.
    struct Kept: Sendable {
        let proof: UpstreamUnlinks.Proof
        let status: Status
    }

    enum Status: Sendable {
        /// Claimed by this request until that time.
        case claimed(until: Timestamp)
        /// Another request is processing it.
        case busy
        case settled(Settled)
    }

    /// Lock that lets identical handovers reach the database one at a time.
    private func row(of handover: NativeHandover, in team: TeamID) -> LockedRow {
        LockedRow("native_handovers", team.rawValue, Hex.encode(handover.hash))
    }

    /// Stores a handover, durable when this returns, or finds the identical one stored before.
    ///
    /// One that waited for the provider counts from its first arrival: by the database's clock, that was as long ago as
    /// by the servers'.
    ///
    /// - Returns: nil if another request has just deleted it.
    func keep(_ handover: NativeHandover, for primaryAppID: ClientID, in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure) -> Kept?
    {
        let end = moment + claim
        let keeping: SQL = """
            INSERT INTO native_handovers AS known (
                team_id, body_hash, client_id, created_at, claimed_until
            ) VALUES (
                \(team), \(handover.hash), \(handover.clientID), \(moment), \(end)
            )
            ON CONFLICT (team_id, body_hash) DO UPDATE SET claimed_until = CASE
                WHEN known.settled_at IS NULL AND known.claimed_until <= \(moment)
                THEN excluded.claimed_until ELSE known.claimed_until END
            RETURNING created_at, clock_timestamp() - greatest(\(moment) - created_at, interval '0'),
                claimed_until = \(end), settled_at, sub, is_new_user, nonce
            """
        let rows = try await database.query(keeping.locking(row(of: handover, in: team)), in: team)
        guard var row = rows.first else { return nil }
        let proof = UpstreamUnlinks.Proof(answeredAt: try row.next(), arrivedAt: try row.next(), for: primaryAppID)
        let isOurs: Bool = try row.next()
        let settledAt: Timestamp? = try row.next()
        let subject: Subject? = try row.next()
        let isNewUser: Bool? = try row.next()
        if let settledAt, let subject {
            let settled = Settled(subject: subject, isNewUser: isNewUser ?? false, nonce: try row.next(), at: settledAt)
            return Kept(proof: proof, status: .settled(settled))
        }
        return Kept(proof: proof, status: isOurs ? .claimed(until: end) : .busy)
    }

    /// Releases a handover that may be tried again.
    func release(_ handover: NativeHandover, claimedUntil end: Timestamp, in team: TeamID) async throws(PostgresFailure)
    {
        try await database.query(
            """
            UPDATE native_handovers SET claimed_until = created_at
            WHERE team_id = \(team) AND body_hash = \(handover.hash) AND settled_at IS NULL
                AND claimed_until = \(end)
            """, in: team, durability: .relaxed)
    }

    /// Deletes a handover that cannot succeed, however often it is tried.
    func forget(_ handover: NativeHandover, claimedUntil end: Timestamp, in team: TeamID) async throws(PostgresFailure)
    {
        try await database.query(
            """
            DELETE FROM native_handovers
            WHERE team_id = \(team) AND body_hash = \(handover.hash) AND settled_at IS NULL
                AND claimed_until = \(end)
            """, in: team, durability: .relaxed)
    }

    /// Session that a handover leads to.
    struct Settlement: Sendable {
        let handover: NativeHandover
        let token: RefreshToken
        let session: RefreshTokenStore.NewSession
        /// Condition that the user may still sign in through the provider.
        let status: UpstreamLinkStatus
        let isNewUser: Bool
        /// Nonce of the provider's token.
        let nonce: String?
        let at: Timestamp
    }

    /// Creates a session, marks `user` as delivered, and settles the handover, in one transaction.
    ///
    /// - Parameters:
    ///   - others: statements run before, such as the insertion of the provider's token.
    ///   - completion: parts of a WITH clause, written where `FROM session` yields a row.
    /// - Returns: false, with no session created, if the user has been unlinked from the account meanwhile.
    func settle(_ settlement: Settlement, with others: [SQL], completion: SQL, in team: TeamID)
        async throws(PostgresFailure) -> Bool
    {
        let (new, moment) = (settlement.session, settlement.at)
        let session = RefreshTokenStore.insertion(
            of: settlement.token, for: new, in: team, at: moment, while: settlement.status.row(in: team))
        let delivery = UpstreamConsent.delivery(
            to: new.primaryAppID, of: new.subject, in: team, at: moment, when: "EXISTS (SELECT FROM session)")
        let end: SQL = """
            UPDATE native_handovers
            SET settled_at = \(moment), sub = \(new.subject), token_id = \(settlement.token.id),
                is_new_user = \(settlement.isNewUser), nonce = \(settlement.nonce)
            WHERE team_id = \(team) AND body_hash = \(settlement.handover.hash) AND EXISTS (SELECT FROM session)
            """
        let last: SQL = """
            WITH session AS (\(session)), delivery AS (\(delivery)), settled AS (\(end)), \(completion)
            SELECT FROM session
            """
        let statements = [settlement.status.lock(in: team)] + others + [last]
        return try await !database.query(statements, in: team).isEmpty
    }

    /// Replaces the token of a settled handover's session, and returns the session's time of authentication.
    ///
    /// Concurrent retries run one after another: each finds the token that the previous one set, and the last one's is
    /// valid.
    ///
    /// - Parameter notBefore: sessions begun before this time have ended.
    /// - Returns: nil if the session has ended, or its user is suspended.
    func renew(_ handover: NativeHandover, to token: RefreshToken, begunSince notBefore: Timestamp, in team: TeamID)
        async throws(PostgresFailure) -> Timestamp?
    {
        let lock: SQL = """
            SELECT FROM native_handovers
            WHERE team_id = \(team) AND body_hash = \(handover.hash) FOR UPDATE
            """
        let earlier: SQL =
            "(SELECT token_id FROM native_handovers WHERE team_id = \(team) AND body_hash = \(handover.hash))"
        let rows = try await database.query(
            [
                lock.locking(row(of: handover, in: team)),
                """
                WITH session AS (
                    \(RefreshTokenStore.replacement(by: token, of: earlier, begunSince: notBefore, in: team))
                ), moved AS (
                    UPDATE native_handovers SET token_id = \(token.id) FROM session
                    WHERE team_id = \(team) AND body_hash = \(handover.hash)
                )
                SELECT authenticated_at FROM session
                """,
            ], in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}

/// Result of a sign-in with Apple that a native app hands over: the code, and whatever else Apple returned.
struct NativeHandover: Sendable {
    /// Maximum length of a code in bytes, several times that of Apple's codes.
    private static let longestCode = 512
    /// Maximum length of each part of a name, in Unicode scalars: as much as is stored.
    private static let longestName = 200

    let clientID: String
    let code: String
    let identityToken: String?
    /// As the app generated it; Apple's token contains the value passed to Apple, raw or hashed.
    let nonce: String?
    /// Apple's identifier of the user.
    let user: String?
    let givenName: String?
    let middleName: String?
    let familyName: String?
    let email: String?
    let realUserStatus: Int?
    /// Whether the client authenticates with a secret, and so receives a refresh token that does not rotate.
    let hasSecret: Bool
    /// Whether it came to the address that answers as Apple does, where a code works once.
    let isForApple: Bool

    init(_ parameters: ProtocolParameters, forApple isForApple: Bool) throws(OAuthError) {
        self.isForApple = isForApple
        clientID = try parameters.required("client_id")
        code = Self.unwrapped(try parameters.required("code"))
        guard code.utf8.count <= Self.longestCode else {
            throw OAuthError(.invalidRequest, cause: .parameterTooLong, because: "code is too long")
        }
        identityToken = parameters["identity_token"].map(Self.unwrapped)
        nonce = parameters["nonce"]
        user = parameters["user"]
        givenName = parameters["first_name"].map(Self.name)
        middleName = parameters["middle_name"].map(Self.name)
        familyName = parameters["last_name"].map(Self.name)
        email = parameters["email"]
        realUserStatus = parameters["real_user_status"].flatMap { Int($0) }.flatMap { (0...2).contains($0) ? $0 : nil }
        hasSecret = parameters["client_secret"] != nil
    }

    /// The text, or what it is the base64 of: Apple's framework returns data, which apps also send in base64.
    ///
    /// A JWT and a code contain dots, so neither can be read as base64 itself.
    private static func unwrapped(_ text: String) -> String {
        guard let content = Base64.decode(eitherAlphabet: text).flatMap({ String(utf8: $0) }),
            content.hasPrefix("eyJ") || AuthorizationCode.hasForm(content)
        else { return text }
        return content
    }

    private static func name(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestName)))
    }

    /// Hash of the handover: an equal hash is a retry, if the client authentication is of the same kind and the address
    /// the same.
    ///
    /// Only the presence of a client secret counts, not its value: a backend signs a new one for each attempt, and
    /// every valid one proves the same client.
    var hash: [UInt8] {
        var parts = [
            clientID, code, identityToken, nonce, user, givenName, familyName, email, realUserStatus.map { String($0) },
        ]
        if hasSecret { parts.append("client_secret") }
        if isForApple { parts.append("token") }
        if let middleName { parts.append(middleName) }
        // The separator cannot occur in a parameter.
        return SHA256.hash(parts.map { $0 ?? "" }.joined(separator: "\0"))
    }

    /// Name and email address that the user gave to Apple, if the app received them: sent once, unsigned, and easily
    /// forged.
    var form: UpstreamForm? {
        let form = UpstreamForm(
            givenName: givenName ?? "", middleName: middleName ?? "", familyName: familyName ?? "", email: email,
            from: .app)
        return form.givenName.isEmpty && form.familyName.isEmpty && form.email == nil ? nil : form
    }

    /// Nonce of Apple's token.
    var expectedNonce: ExpectedNonce? { nonce.map { ExpectedNonce(text: $0, mayBeHashed: true) } }
}
