import Core
import Crypto
import Directory
import OAuth
import Platform
import Postgres

/// Stores upstream requests and their answers.
struct UpstreamRequestStore: Sendable {
    let database: TeamDatabase
    let upstreamRequests: UpstreamRequests
    /// Time for which one HTTP request has exclusive use of an answer.
    let claim: Duration
    private let sealer: Sealer

    /// - Parameter timeout: maximum time of the calls to the provider.
    init(_ database: TeamDatabase, server: ServerContext, timeout: Duration) {
        self.database = database
        claim = Self.claim(for: timeout)
        upstreamRequests = UpstreamRequests(server: server)
        sealer = server.keyRing.sealer(purpose: "answers of providers")
    }

    /// Longer than the calls to the provider may take, with some time for database statements.
    static func claim(for timeout: Duration) -> Duration { timeout + .seconds(5) }

    /// Purpose of an upstream request, stored only on this server.
    enum Purpose: Sendable {
        case signIn(InteractionID)
        /// Linking of a provider account to the user, within the session.
        case link(Subject, SessionID)
    }

    /// Answer that one HTTP request has claimed.
    struct Claimed: Sendable {
        let upstreamRequest: UpstreamRequest
        let purpose: Purpose
        let answer: UpstreamResponse
        let proof: UpstreamUnlinks.Proof
        /// Time when another HTTP request may claim it; identifies the claim.
        let until: Timestamp
    }

    /// Stores a new upstream request.
    ///
    /// Durable when this returns, and with it the interaction, which was written before: a provider tells the name once, in
    /// an answer that nobody could take otherwise. An account is linked only in its browser, so that a request for a link
    /// has nothing to settle later.
    ///
    /// - Parameter statements: statements run in the same transaction.
    func begin(
        _ upstreamRequest: UpstreamRequest, to provider: ProviderID, _ purpose: Purpose, isForApp: Bool,
        browserHash: [UInt8], with statements: [SQL] = [], in team: TeamID, at moment: Timestamp
    ) async throws(PostgresFailure) {
        let insertion: SQL = """
            INSERT INTO upstream_requests (
                team_id, state_hash, provider, interaction_id, link_sub, link_session, browser_hash, app_id, wants_name,
                wants_email, for_app, created_at, settled_at
            ) VALUES (
                \(team), \(upstreamRequest.stateHash), \(provider), \(purpose.interaction), \(purpose.person?.subject),
                \(purpose.person?.session.hash), \(browserHash), \(upstreamRequest.primaryAppID), \(upstreamRequest.scope.name),
                \(upstreamRequest.scope.email), \(isForApp), \(moment), \(purpose.interaction == nil ? moment : nil)
            )
            """
        try await database.query(statements + [insertion], in: team)
    }

    /// Stores the provider's answer and the receipt of the browser that delivered it; only the first answer counts.
    ///
    /// A later answer changes nothing, and its receipt is void. Durable when this returns.
    ///
    /// - Returns: whether it was stored.
    @discardableResult func keep(
        _ answer: UpstreamResponse, for back: UpstreamReturn, in team: TeamID, at moment: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let hash = back.stateHash
        let sealed = sealer.seal(JSON.encode(answer), context: Self.place(hash, team))
        let rows = try await database.groupCommit(
            """
            UPDATE upstream_requests
            SET answer_sealed = \(sealed), answered_at = \(moment), arrived_at = clock_timestamp(),
                receipt_hash = \(back.receipt.hash),
                settled_at = CASE WHEN \(answer.mayProve) THEN settled_at ELSE \(moment) END
            WHERE team_id = \(team) AND state_hash = \(hash) AND answered_at IS NULL
                AND created_at > \(moment - UpstreamRequest.lifetime)
            """, locking: hash, in: team)
        return rows.changed > 0
    }

    /// Claims an answer for the browser that began the upstream request, if it also delivered the answer.
    func claim(
        _ back: UpstreamReturn, of provider: ProviderID, browserHash: [UInt8], in team: TeamID, at moment: Timestamp
    ) async throws(PostgresFailure) -> Claimed? {
        let (hash, end) = (back.stateHash, moment + claim)
        let rows = try await database.query(
            """
            UPDATE upstream_requests SET claimed_until = \(end)
            WHERE team_id = \(team) AND state_hash = \(hash) AND provider = \(provider)
                AND receipt_hash = \(back.receipt.hash) AND browser_hash = \(browserHash) AND answered_at IS NOT NULL
                AND (claimed_until IS NULL OR claimed_until <= \(moment))
                AND created_at > \(moment - UpstreamRequest.lifetime)
            RETURNING interaction_id, link_sub, link_session, app_id, wants_name, wants_email, answered_at,
                coalesce(arrived_at, answered_at), answer_sealed
            """, in: team, durability: .relaxed)
        guard var row = rows.first else { return nil }
        guard let purpose = try Purpose(&row) else { return nil }
        let primaryAppID: ClientID = try row.next()
        let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        let proof = UpstreamUnlinks.Proof(answeredAt: try row.next(), arrivedAt: try row.next(), for: primaryAppID)
        guard let answer = open(try row.next(), hash, team) else { return nil }
        return Claimed(
            upstreamRequest: upstreamRequests.upstreamRequest(back.state, provider, primaryAppID, scope, team),
            purpose: purpose, answer: answer, proof: proof, until: end)
    }

    /// Whether another HTTP request of the same browser is processing the answer, if none could be claimed.
    ///
    /// A receipt presented by a browser other than the one that began is voided: two users or two browsers then have
    /// half of the sign-in each, and a receipt read from the one must not be usable in the other.
    func isAtWork(_ back: UpstreamReturn, browserHash: [UInt8], in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure) -> Bool
    {
        let hash = back.stateHash
        let rows = try await database.query(
            """
            WITH voided AS (
                UPDATE upstream_requests SET receipt_hash = NULL
                WHERE team_id = \(team) AND state_hash = \(hash) AND receipt_hash = \(back.receipt.hash)
                    AND browser_hash <> \(browserHash)
            )
            SELECT answer_sealed FROM upstream_requests
            WHERE team_id = \(team) AND state_hash = \(hash) AND receipt_hash = \(back.receipt.hash)
                AND browser_hash = \(browserHash) AND created_at > \(moment - UpstreamRequest.lifetime)
            """, in: team, durability: .relaxed)
        guard var row = rows.first, let sealed = try row.next([UInt8]?.self) else { return false }
        return open(sealed, hash, team) != nil
    }

    /// Releases an answer to be tried again, unless another HTTP request has claimed it meanwhile.
    func release(_ claimed: Claimed, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE upstream_requests SET claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(claimed.upstreamRequest.stateHash) AND claimed_until = \(claimed.until)
            """, in: team, durability: .relaxed)
    }

    /// Statement that ends an upstream request whose answer is used up.
    static func deletion(of upstreamRequest: UpstreamRequest, in team: TeamID) -> SQL {
        "DELETE FROM upstream_requests WHERE team_id = \(team) AND state_hash = \(upstreamRequest.stateHash)"
    }

    func end(_ upstreamRequest: UpstreamRequest, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(Self.deletion(of: upstreamRequest, in: team), in: team, durability: .relaxed)
    }

    func open(_ sealed: [UInt8], _ hash: [UInt8], _ team: TeamID) -> UpstreamResponse? {
        sealer.open(sealed, context: Self.place(hash, team)).flatMap { octets in
            try? JSON.decode(UpstreamResponse.self, from: octets)
        }
    }

    /// Context that a sealed answer is bound to.
    private static func place(_ hash: [UInt8], _ team: TeamID) -> [String] {
        [team.rawValue, "upstream_requests", Hex.encode(hash), "answer_sealed"]
    }
}

extension UpstreamRequestStore.Purpose {
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let (interaction, subject): (InteractionID?, Subject?) = (try row.next(), try row.next())
        let session: [UInt8]? = try row.next()
        if let interaction {
            self = .signIn(interaction)
        } else if let subject, let session {
            self = .link(subject, SessionID(hash: session))
        } else {
            return nil
        }
    }

    fileprivate var interaction: InteractionID? { if case .signIn(let interaction) = self { interaction } else { nil } }

    fileprivate var person: (subject: Subject, session: SessionID)? {
        if case .link(let subject, let session) = self { (subject, session) } else { nil }
    }
}

// Answers whose browser did not return.
extension UpstreamRequestStore {
    /// Maximum time between a failed attempt to settle an answer and the next one.
    private static let longestRest = Duration.seconds(6 * 3600)

    /// Answer whose browser did not return, with its upstream request.
    struct Unsettled: Sendable {
        let upstreamRequest: UpstreamRequest
        let answer: UpstreamResponse
        let proof: UpstreamUnlinks.Proof
        /// Whether the upstream request began with an app's authorization request.
        let isForApp: Bool
    }

    /// Condition for answers that are due to be settled.
    struct Due: Sendable {
        /// Time before which an answer must have arrived for its browser to count as not returning.
        let answeredBefore: Timestamp
        let now: Timestamp

        var condition: SQL {
            """
            answered_at < \(answeredBefore) AND settled_at IS NULL AND coalesce(settle_at, answered_at) <= \(now)
            """
        }
    }

    /// Claims due answers for a limited time, those that have waited longest first.
    ///
    /// An answer whose seal cannot be opened is marked as settled, because it can never be read.
    /// - Returns: the answers, and the number of rows claimed.
    func claimUnsettled(of provider: ProviderID, _ due: Due, limit: Int, in team: TeamID) async throws(PostgresFailure)
        -> (upstreamRequests: [Unsettled], count: Int)
    {
        let rows = try await database.query(
            """
            UPDATE upstream_requests AS request SET claimed_until = \(due.now + claim)
            FROM (
                SELECT state_hash FROM upstream_requests
                WHERE team_id = \(team) AND provider = \(provider) AND \(due.condition)
                    AND (claimed_until IS NULL OR claimed_until <= \(due.now))
                ORDER BY coalesce(settle_at, answered_at) LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ) AS unsettled
            WHERE request.team_id = \(team) AND request.state_hash = unsettled.state_hash
            RETURNING request.state_hash, app_id, wants_name, wants_email, answered_at,
                coalesce(arrived_at, answered_at), for_app, answer_sealed
            """, in: team)
        var unsettled: [Unsettled] = []
        for var row in rows {
            let hash: [UInt8] = try row.next()
            let primaryAppID: ClientID = try row.next()
            let scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
            let proof = UpstreamUnlinks.Proof(answeredAt: try row.next(), arrivedAt: try row.next(), for: primaryAppID)
            let isForApp: Bool = try row.next()
            guard let answer = open(try row.next(), hash, team), let state = answer.state else {
                try await settle(hash, in: team, at: due.now)
                continue
            }
            unsettled.append(
                Unsettled(
                    upstreamRequest: upstreamRequests.upstreamRequest(state, provider, primaryAppID, scope, team),
                    answer: answer, proof: proof, isForApp: isForApp))
        }
        return (unsettled, rows.count)
    }

    /// Deletes a team's answers beyond `most`, newest first, because any client can post answers and they are
    /// kept for days.
    func trim(
        in team: TeamID, at moment: Timestamp, keeping most: Int = Quota.unsettledRequests.count, batch: Int = 1000
    ) async throws(PostgresFailure) {
        var removed = batch
        while removed == batch {
            removed = try await database.query(
                """
                DELETE FROM upstream_requests WHERE team_id = \(team) AND state_hash IN (
                    SELECT state_hash FROM upstream_requests
                    WHERE team_id = \(team) AND answered_at IS NOT NULL AND settled_at IS NULL
                        AND created_at < \(moment - UpstreamRequest.lifetime)
                    ORDER BY created_at OFFSET \(most) LIMIT \(batch)
                )
                """, in: team
            ).changed
        }
    }

    /// Marks an answer as settled: its user is recorded, or cannot be identified.
    func settle(_ upstreamRequest: UpstreamRequest, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await settle(upstreamRequest.stateHash, in: team, at: now)
    }

    private func settle(_ hash: [UInt8], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE upstream_requests SET settled_at = \(now), claimed_until = NULL
            WHERE team_id = \(team) AND state_hash = \(hash)
            """, in: team)
    }

    /// Releases an answer that cannot be settled now; its delay doubles each time, so that others have their turn.
    func postpone(_ upstreamRequest: UpstreamRequest, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
    {
        let longest = Int(Self.longestRest.components.seconds)
        try await database.query(
            """
            UPDATE upstream_requests SET claimed_until = NULL, settle_tries = least(settle_tries + 1, 100),
                settle_at = \(now) + least(60 * 2 ^ least(settle_tries, 20), \(longest)) * interval '1 second'
            WHERE team_id = \(team) AND state_hash = \(upstreamRequest.stateHash)
            """, in: team)
    }
}
