import Bytes
import Crypto
import Directory
import Domain
import Postgres

/// Keeps trips to providers, and what came back.
struct ProviderTripStore: Sendable {
    let database: TeamDatabase
    let trips: ProviderTrips
    /// How long one request has an answer for itself.
    let claim: Duration
    private let sealer: Sealer

    /// - Parameter patience: how long what is asked of the provider may take.
    init(_ database: TeamDatabase, context: EngineContext, patience: Duration) {
        self.database = database
        claim = Self.claim(for: patience)
        trips = ProviderTrips(context: context)
        sealer = context.keyRing.sealer(purpose: "answers of providers")
    }

    /// Longer than the calls to the provider may take, with some time for our own statements.
    static func claim(for patience: Duration) -> Duration { patience + .seconds(5) }

    /// What a trip is for, which is stored here and nowhere else.
    enum Purpose: Sendable {
        case signIn(AttemptID)
        /// Connecting an account there to that person's, within that session.
        case link(Subject, SessionID)
    }

    /// An answer that one request has for itself.
    struct Claimed: Sendable {
        let trip: ProviderTrip
        let purpose: Purpose
        let answer: ProviderAnswer
        let answeredAt: Timestamp
        /// The same by the clock of the database.
        let arrivedAt: Timestamp
        /// When another request may take it; names the claim.
        let until: Timestamp
    }

    /// Begins a trip.
    ///
    /// - Parameter statements: what is stored with it.
    ///
    /// A crash of the server may lose it: the person starts again. Without its browser nothing is connected, so there
    /// is nothing to settle later.
    func begin(
        _ trip: ProviderTrip,
        to provider: ProviderID,
        _ purpose: Purpose,
        isForApp: Bool,
        browserHash: [UInt8],
        with statements: [SQL] = [],
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        let insertion: SQL = """
            INSERT INTO provider_trips (
                team_id, state_hash, provider, attempt_id, link_sub, link_session, browser_hash, app_id, wants_name,
                wants_email, for_app, created_at, settled_at
            ) VALUES (
                \(team), \(trip.stateHash), \(provider), \(purpose.attempt), \(purpose.person?.subject),
                \(purpose.person?.session.hash), \(browserHash), \(trip.group), \(trip.scope.name),
                \(trip.scope.email), \(isForApp), \(moment), \(purpose.attempt == nil ? moment : nil)
            )
            """
        try await database.queryRelaxed(statements + [insertion], in: team)
    }

    /// Stores what the provider posted, and the receipt of the browser that brought it; the first answer counts.
    ///
    /// A later one changes nothing, and its receipt is worth nothing. Durable when this returns.
    ///
    /// - Returns: whether it was stored.
    @discardableResult
    func keep(
        _ answer: ProviderAnswer,
        for back: ProviderReturn,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let hash = back.stateHash
        let sealed = sealer.seal(JSON.encode(answer), context: Self.place(hash, team))
        let rows = try await database.queryJointly(
            """
            UPDATE provider_trips
            SET answer_sealed = \(sealed), answered_at = \(moment), arrived_at = clock_timestamp(),
                receipt_hash = \(back.receipt.hash),
                settled_at = CASE WHEN \(answer.mayProve) THEN settled_at ELSE \(moment) END
            WHERE team_id = \(team) AND state_hash = \(hash) AND answered_at IS NULL
                AND created_at > \(moment - ProviderTrip.lifetime)
            """,
            locking: hash,
            in: team
        )
        return rows.changed > 0
    }

    /// Takes an answer for the browser that began its trip, where it is the one that brought the answer too.
    func claim(
        _ back: ProviderReturn,
        of provider: ProviderID,
        browserHash: [UInt8],
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Claimed? {
        let (hash, end) = (back.stateHash, moment + claim)
        let rows = try await database.queryRelaxed(
            """
            UPDATE provider_trips SET claimed_until = \(end)
            WHERE team_id = \(team) AND state_hash = \(hash) AND provider = \(provider)
                AND receipt_hash = \(back.receipt.hash) AND browser_hash = \(browserHash) AND answered_at IS NOT NULL
                AND (claimed_until IS NULL OR claimed_until <= \(moment))
                AND created_at > \(moment - ProviderTrip.lifetime)
            RETURNING attempt_id, link_sub, link_session, app_id, wants_name, wants_email, answered_at,
                coalesce(arrived_at, answered_at), answer_sealed
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        guard let purpose = try Purpose(&row) else { return nil }
        let group: ClientID = try row.next()
        let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        let (answeredAt, arrivedAt): (Timestamp, Timestamp) = (try row.next(), try row.next())
        guard let answer = open(try row.next(), hash, team) else { return nil }
        return Claimed(
            trip: trips.trip(back.state, provider, group, scope, team),
            purpose: purpose,
            answer: answer,
            answeredAt: answeredAt,
            arrivedAt: arrivedAt,
            until: end
        )
    }

    /// Whether another request of the same browser is at work with the answer, where nothing could be claimed.
    ///
    /// A receipt that came in another browser than the one that began is void from here on: two people, or two
    /// browsers, have half of the sign-in each, and whoever reads the receipt from the one must not use it in the other.
    func isAtWork(
        _ back: ProviderReturn,
        browserHash: [UInt8],
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let hash = back.stateHash
        let rows = try await database.queryRelaxed(
            """
            WITH voided AS (
                UPDATE provider_trips SET receipt_hash = NULL
                WHERE team_id = \(team) AND state_hash = \(hash) AND receipt_hash = \(back.receipt.hash)
                    AND browser_hash <> \(browserHash)
            )
            SELECT answer_sealed FROM provider_trips
            WHERE team_id = \(team) AND state_hash = \(hash) AND receipt_hash = \(back.receipt.hash)
                AND browser_hash = \(browserHash) AND created_at > \(moment - ProviderTrip.lifetime)
            """,
            in: team
        )
        guard var row = rows.first, let sealed = try row.next([UInt8]?.self) else { return false }
        return open(sealed, hash, team) != nil
    }

    /// Gives an answer back that may be tried again, unless another request has it by now.
    func release(_ claimed: Claimed, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            """
            UPDATE provider_trips SET claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(claimed.trip.stateHash) AND claimed_until = \(claimed.until)
            """,
            in: team
        )
    }

    /// Ends a trip whose answer has been used up.
    static func deletion(of trip: ProviderTrip, in team: TeamID) -> SQL {
        "DELETE FROM provider_trips WHERE team_id = \(team) AND state_hash = \(trip.stateHash)"
    }

    func end(_ trip: ProviderTrip, in team: TeamID) async throws(PostgresFailure) {
        try await database.queryRelaxed(Self.deletion(of: trip, in: team), in: team)
    }

    func open(_ sealed: [UInt8], _ hash: [UInt8], _ team: TeamID) -> ProviderAnswer? {
        sealer.open(sealed, context: Self.place(hash, team)).flatMap { octets in
            try? JSON.decode(ProviderAnswer.self, from: octets)
        }
    }

    /// What a sealed answer is bound to.
    private static func place(_ hash: [UInt8], _ team: TeamID) -> [String] {
        [team.rawValue, "provider_trips", Hex.encode(hash), "answer_sealed"]
    }
}

extension ProviderTripStore.Purpose {
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let (attempt, subject): (AttemptID?, Subject?) = (try row.next(), try row.next())
        let session: [UInt8]? = try row.next()
        if let attempt {
            self = .signIn(attempt)
        } else if let subject, let session {
            self = .link(subject, SessionID(hash: session))
        } else {
            return nil
        }
    }

    fileprivate var attempt: AttemptID? {
        if case .signIn(let attempt) = self { attempt } else { nil }
    }

    fileprivate var person: (subject: Subject, session: SessionID)? {
        if case .link(let subject, let session) = self { (subject, session) } else { nil }
    }
}
