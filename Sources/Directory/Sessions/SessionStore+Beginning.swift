public import Core
public import Platform
public import Postgres

extension SessionStore {
    /// Stored proofs that a session is created from, used once.
    public struct Proofs: Sendable {
        let taking: SQL

        /// - Parameter statement: takes the proofs, and yields a row with the `sub` that they are about if they are
        ///   available.
        public init(takenBy statement: SQL) { taking = statement }
    }

    /// User, proofs and origin of a new session.
    public struct Beginning: Sendable {
        private let subject: Subject
        private let factors: [ProofMethod]
        private let app: ClientID?
        private let origin: Origin
        private let old: SessionToken?
        private let now: Timestamp

        /// - Parameters:
        ///   - factors: methods by which the user authenticated: the first, and a second if one was given.
        ///   - app: app that the sign-in leads to, for the event; nil if it leads to one of Pippin's own pages.
        ///   - old: previous session of the browser, which ends.
        public init(
            of subject: Subject, by factors: [ProofMethod], to app: ClientID?, from origin: Origin,
            replacing old: SessionToken?, at now: Timestamp
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
    func lock(in team: TeamID) -> SQL { UserStore.lock(subject, in: team) }

    /// Creates the session if `proofs` yields the user, with the event `sign_in.completed`.
    ///
    /// Proofs of another user create none: the user may have changed since they were read.
    func statement(_ token: SessionToken, taking proofs: SessionStore.Proofs, living life: SessionLife, in team: TeamID)
        -> SQL
    {
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

    /// Parts of a WITH clause that end the user's sessions beyond the newest of its quota, including the new session.
    ///
    /// If there are very many, only an arbitrary part of them is read: a session with so many newer ones in the part
    /// has them among all. Locked sessions are skipped, and stay until the next time. Each session is looked up by its
    /// key, whatever the planner estimates of their number.
    private func outnumbered(in team: TeamID) -> SQL {
        let kept = Quota.sessions.count - 1
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
            "sign_in.completed", by: .user(subject, of: team), on: .user(subject), from: origin, after: .object(after))
    }
}
