import Audit
public import Bytes
public import Domain
public import Postgres

extension SessionStore {
    /// Proofs that a session is made of, given out once by whoever keeps them.
    public struct Proofs: Sendable {
        let taking: SQL

        /// - Parameter statement: takes them, and yields a row with the `sub` they are about where they are given out.
        public init(takenBy statement: SQL) {
            taking = statement
        }
    }

    /// Whose session begins, by which proofs, and where.
    public struct Beginning: Sendable {
        private let subject: Subject
        private let factors: [ProofMethod]
        private let app: ClientID?
        private let origin: Origin
        private let old: SessionToken?
        private let now: Timestamp

        /// - Parameters:
        ///   - factors: how the person proved who they are: the first, and a second where one was given.
        ///   - app: the app the sign-in leads to, which the event names; none where it leads to a page of ours.
        ///   - old: the browser's session before, which ends.
        public init(
            of subject: Subject,
            by factors: [ProofMethod],
            to app: ClientID?,
            from origin: Origin,
            replacing old: SessionToken?,
            at now: Timestamp
        ) {
            self.subject = subject
            self.factors = factors
            self.app = app
            self.origin = origin
            self.old = old
            self.now = now
        }
    }
}

extension SessionStore.Beginning {
    func lock(in team: TeamID) -> SQL {
        UserStore.lock(subject, in: team)
    }

    /// Begins the session where `proofs` yields the person, with the event `sign_in.completed`.
    ///
    /// Proofs of another person make none: who was read before may be another by now.
    func statement(
        _ token: SessionToken,
        taking proofs: SessionStore.Proofs,
        living life: SessionLife,
        in team: TeamID
    ) -> SQL {
        """
        WITH given AS (
            \(proofs.taking)
        ), taken AS (
            SELECT FROM given WHERE sub = \(subject)
        ), ended AS (
            DELETE FROM sessions
            WHERE team_id = \(team) AND token_hash = \(old?.hash) AND EXISTS (SELECT FROM taken)
        ), \(outnumbered(in: team)), person AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT FROM taken)
        ), audit AS (
            \(event(in: team).insertion(in: team, when: "FROM taken"))
        )
        INSERT INTO sessions
            (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
            second_factor, proved_at)
        SELECT \(team), \(token.hash), \(subject), \(now), \(now), \(now + life.absolute), \(origin.ip),
            \(origin.userAgent), \(factors.first ?? .password), \(factors.dropFirst().first), \(now)
        FROM taken
        RETURNING sub
        """
    }

    /// Ends what the person has beyond the newest `mostOfPerson`, with the new session as one of these.
    ///
    /// Of very many a part is read, whichever: what has so many newer ones in it has them among all. Nobody is waited
    /// for, and what somebody holds stays until the next time. Each is looked up by its key, whatever is known of
    /// their number.
    private func outnumbered(in team: TeamID) -> SQL {
        let kept = SessionStore.mostOfPerson - 1
        return """
            excess AS MATERIALIZED (
                SELECT token_hash FROM (
                    SELECT token_hash, created_at FROM sessions
                    WHERE team_id = \(team) AND sub = \(subject) AND token_hash IS DISTINCT FROM \(old?.hash)
                    LIMIT \(kept + SessionStore.mostAtOnce)
                ) AS part
                ORDER BY created_at DESC, token_hash
                OFFSET \(kept)
            ), held AS MATERIALIZED (
                SELECT token_hash FROM excess JOIN sessions USING (token_hash)
                WHERE team_id = \(team)
                FOR UPDATE OF sessions SKIP LOCKED
            ), outnumbered AS (
                DELETE FROM sessions USING held
                WHERE sessions.team_id = \(team) AND sessions.token_hash = held.token_hash
                    AND EXISTS (SELECT FROM taken)
            )
            """
    }

    private func event(in team: TeamID) -> AuditEvent {
        var after: [String: JSONValue] = ["factors": .array(factors.map { .string($0.rawValue) })]
        after["app"] = app.map { .string($0.rawValue) }
        return AuditEvent(
            "sign_in.completed",
            by: .user(subject, of: team),
            on: .user(subject),
            from: origin,
            after: .object(after)
        )
    }
}
