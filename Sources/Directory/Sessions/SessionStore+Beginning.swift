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
        ), person AS (
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
