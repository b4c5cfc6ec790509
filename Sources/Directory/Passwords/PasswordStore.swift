import Core
public import Crypto
import EventLoop
public import Platform
public import Postgres

/// Password hashes of a team's users.
public struct PasswordStore: Sendable {
    /// User and password hash that a sign-in is compared with.
    struct Credential: Sendable {
        let user: User
        let factors: EnrolledFactors
        /// Nil for a user without a password, who signs in another way.
        let hash: PasswordHash?
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// User of a login name with the password hash; nil if no user has it.
    func credential(for login: LoginName, in team: TeamID) async throws(PostgresFailure) -> Credential? {
        let rows = try await database.query(
            """
            SELECT \(EnrolledFactors.columns), \(UserStore.columns), p.hash
            FROM login_names s
            JOIN users u ON u.team_id = s.team_id AND u.sub = s.sub
            LEFT JOIN passwords p ON p.team_id = u.team_id AND p.sub = u.sub
            WHERE s.team_id = \(team) AND s.login = \(login)
            """, in: team)
        guard var row = rows.first else { return nil }
        let factors = try EnrolledFactors(&row)
        let user = try User(&row)
        guard let text = try row.next(String?.self) else { return Credential(user: user, factors: factors, hash: nil) }
        guard let hash = PasswordHash(text) else { throw .unreadable(column: 14, as: "PasswordHash") }
        return Credential(user: user, factors: factors, hash: hash)
    }

    /// Sets the password that a user chose in a session by entering the previous one, and notifies the user by mail.
    ///
    /// The previous password was compared before the new one was hashed, and both waited in a queue: a password that
    /// was set meanwhile by a mailed link is kept, because it ended the session.
    ///
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func change(
        to hash: PasswordHash, by right: SessionRight, in team: TeamID, from origin: Origin,
        telling mailer: FactorMailer
    ) async throws {
        let subject = right.session.user.subject
        try await database.change(by: subject, in: team, from: origin) { change in
            try await UserStore.lock(subject, by: right, change)
            _ = try await Self.set(hash, for: subject, keeping: right.session.id, change)
            try await mailer.send(.ownPasswordChanged, to: subject, change)
        }
    }

    /// The hash of a user's password; nil for none.
    public static func hash(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure)
        -> PasswordHash?
    {
        let stored: String? = try await change.query(
            "SELECT hash FROM passwords WHERE team_id = \(change.team) AND sub = \(subject)"
        ).firstValue()
        return stored.flatMap(PasswordHash.init)
    }

    /// Sets a user's password and ends mailed links, interactions and sessions, except one.
    ///
    /// - Returns: false if the team has no such user.
    public static func set(
        _ hash: PasswordHash, for subject: Subject, keeping session: SessionID? = nil, _ change: borrowing Change
    ) async throws(PostgresFailure) -> Bool {
        let team = change.team
        let person = try await change.query(UserStore.lock(subject, in: team))
        guard !person.isEmpty else { return false }
        try await change.query(insertion(of: hash, for: subject, in: team))
        try await change.query(MailedLinkStore.deletion(of: subject, in: team))
        try await change.query(UserStore.endingSignIns(of: subject, in: team))
        let ended = try await change.query(SessionStore.deletion(of: subject, except: session, in: team)).changed
        let isOwn = change.actor == .user(subject, of: team)
        try await change.record(
            isOwn ? "password.changed" : "password.reset", .user(subject), to: ["endedSessions": .integer(Int64(ended))]
        )
        return true
    }

    /// Replaces a hash by a costlier hash of the same password.
    ///
    /// Changes nothing if another password has been set since.
    func replace(_ old: PasswordHash, with new: PasswordHash, of subject: Subject, in team: TeamID)
        async throws(PostgresFailure)
    {
        try await database.query(
            """
            UPDATE passwords SET hash = \(new.text)
            WHERE team_id = \(team) AND sub = \(subject) AND hash = \(old.text)
            """, in: team, durability: .relaxed)
    }

    private static func insertion(of hash: PasswordHash, for subject: Subject, in team: TeamID) -> SQL {
        """
        INSERT INTO passwords (team_id, sub, hash) VALUES (\(team), \(subject), \(hash.text))
        ON CONFLICT (team_id, sub) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at
        """
    }
}
