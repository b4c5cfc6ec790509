public import Core
public import Crypto
public import Platform
public import Postgres

/// Users of a team and their login names.
public struct UserStore: Sendable {
    /// Reason why a user was not created.
    public enum Failure: Error, Equatable, Sendable {
        /// A user of the team has that login name.
        case loginTaken
    }

    private let database: TeamDatabase
    private let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource = .system) {
        self.database = database
        self.random = random
    }

    /// Columns that `User` reads, from a table with the alias `u`.
    public static let columns: SQL = """
        u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
        u.last_sign_in_at, u.suspended_at, u.credentials_version
        """

    /// Adds a user with a new `sub`; the transaction stays usable if the login name is taken.
    ///
    /// - Throws: `Failure.loginTaken`, `PostgresFailure`.
    @discardableResult public func create(_ new: NewUser, _ change: borrowing Change) async throws -> Subject {
        guard let subject = try await create([new], change)[0] else { throw Failure.loginTaken }
        return subject
    }

    /// Adds users, each with a new `sub`, by one statement.
    ///
    /// - Returns: the `sub` of each; nil if the login name is taken.
    public func create(_ new: [NewUser], _ change: borrowing Change) async throws(PostgresFailure) -> [Subject?] {
        let subjects = new.map { _ in Subject(hexadecimal: Hex.encode(random.bytes(16))) }
        let added: [Subject] = try await change.query(Self.insertion(of: new, as: subjects, in: change.team)).column()
        let isAdded = Set(added)
        // The log contains no names and addresses because it outlives the user.
        let users = zip(subjects, new).filter { isAdded.contains($0.0) }
        let kinds = Dictionary(grouping: users) {
            ["isEmailVerified": JSONValue.boolean($0.1.isEmailVerified), "hasPassword": .boolean($0.1.password != nil)]
        }
        for (kind, users) in kinds {
            try await change.record("user.created", onEach: users.map { .user($0.0) }, to: kind)
        }
        return subjects.map { isAdded.contains($0) ? $0 : nil }
    }

    /// Sets names, and whether addresses are confirmed, by one statement.
    public static func update(
        _ users: [(subject: Subject, name: PersonName, isEmailVerified: Bool)], _ change: borrowing Change
    ) async throws(PostgresFailure) {
        try await change.query(
            """
            UPDATE users
            SET given_name = n.given_name, family_name = n.family_name, is_email_verified = n.is_verified::boolean
            FROM unnest(
                \(users.map(\.subject.rawValue)), \(users.map(\.name.given)), \(users.map(\.name.family)),
                \(users.map { "\($0.isEmailVerified)" })
            ) AS n (sub, given_name, family_name, is_verified)
            WHERE users.team_id = \(change.team) AND users.sub = n.sub
            """)
    }

    /// User with that `sub`, or nil.
    public func find(_ subject: Subject, in team: TeamID) async throws(PostgresFailure) -> User? {
        let rows = try await database.query(
            "SELECT \(Self.columns) FROM users u WHERE u.team_id = \(team) AND u.sub = \(subject)", in: team)
        return try rows.firstValue(User.init)
    }

    /// Users of the team among `subjects`, unordered, for the names beside IDs in a list.
    public func find(_ subjects: [Subject], in team: TeamID) async throws(PostgresFailure) -> [User] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM users u
            WHERE u.team_id = \(team) AND u.sub = ANY (\(subjects.map(\.rawValue)))
            """, in: team)
        return try rows.all(User.init)
    }

    /// Inserts the login names first, without which nothing else is added; an empty text stands for none.
    private static func insertion(of new: [NewUser], as subjects: [Subject], in team: TeamID) -> SQL {
        """
        WITH new AS MATERIALIZED (
            SELECT * FROM unnest(
                \(subjects.map(\.rawValue)), \(new.map { $0.login?.rawValue ?? "" }), \(new.map(\.name.given)),
                \(new.map(\.name.family)), \(new.map { $0.email?.rawValue ?? "" }),
                \(new.map { "\($0.isEmailVerified)" }), \(new.map { $0.password?.text ?? "" })
            ) AS new (sub, login, given_name, family_name, email, is_email_verified, hash)
        ), login AS (
            INSERT INTO login_names (team_id, login, sub)
            SELECT \(team), login, sub FROM new WHERE login <> ''
            ON CONFLICT (team_id, login) DO NOTHING
            RETURNING sub
        ), person AS (
            INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
            SELECT \(team), sub, given_name, family_name, NULLIF(email, ''), is_email_verified::boolean
            FROM new WHERE login = '' OR sub IN (SELECT sub FROM login)
            RETURNING sub
        ), password AS (
            INSERT INTO passwords (team_id, sub, hash)
            SELECT \(team), person.sub, new.hash FROM person JOIN new ON new.sub = person.sub WHERE new.hash <> ''
        )
        SELECT sub FROM person
        """
    }

    /// User as visible in the caller's transaction, locked until it ends.
    func find(_ subject: Subject, in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> User?
    {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM users u
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            FOR NO KEY UPDATE
            """)
        return try rows.firstValue(User.init)
    }

    /// Records that the user confirmed the address, if it is still theirs.
    func noteVerified(_ email: EmailAddress, of subject: Subject, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        try await change.query(
            """
            UPDATE users SET is_email_verified = true
            WHERE team_id = \(change.team) AND sub = \(subject) AND email = \(email)
            """)
    }

    /// Sets an address that the user has confirmed.
    func setEmail(_ email: EmailAddress, of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure)
    {
        try await change.query(
            """
            UPDATE users SET email = \(email), is_email_verified = true, is_private_email = false
            WHERE team_id = \(change.team) AND sub = \(subject)
            """)
    }

    /// Statement that sets the address of a user who cannot have it as a login name.
    public static func addressing(_ subject: Subject, as email: String?, isVerified: Bool, in team: TeamID) -> SQL {
        """
        UPDATE users SET email = \(email), is_email_verified = \(isVerified)
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    /// Statement that sets the relay address of a user who has none, and yields the user as `columns`.
    public static func relaying(_ subject: Subject, by address: String?, in team: TeamID) -> SQL {
        """
        UPDATE users u SET relay_address = COALESCE(relay_address, \(address))
        WHERE team_id = \(team) AND sub = \(subject)
        RETURNING \(columns)
        """
    }

    /// Statement that renames a user.
    public static func renaming(_ subject: Subject, to name: PersonName, in team: TeamID) -> SQL {
        """
        UPDATE users SET given_name = \(name.given), family_name = \(name.family)
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    // Users who sign in at a provider; SQL expressions come from the module Federation.

    /// Statement that adds a user with the `sub` of the provider, and yields it if there was none.
    ///
    /// - Parameter condition: an SQL condition; nothing is added when it is false.
    public static func insertion(
        of subject: Subject, called name: PersonName, in team: TeamID, at moment: Timestamp, when condition: SQL
    ) -> SQL {
        """
        INSERT INTO users (team_id, sub, given_name, family_name, created_at)
        SELECT \(team), \(subject), \(name.given), \(name.family), \(moment)
        WHERE \(condition)
        ON CONFLICT DO NOTHING
        RETURNING sub
        """
    }

    /// Statement that sets what a provider says of a user.
    ///
    /// - Parameters:
    ///   - subject: an SQL expression of the `sub`.
    ///   - email: nil keeps the address.
    ///   - name: used when the SQL condition `takesName` is true.
    ///   - condition: an SQL condition; nothing is changed when it is false.
    public static func profile(
        of subject: SQL, email: (address: EmailAddress, isVerified: Bool, isPrivate: Bool)?, name: PersonName,
        takesName: SQL, in team: TeamID, when condition: SQL
    ) -> SQL {
        """
        UPDATE users SET
            email = coalesce(\(email?.address), email),
            is_email_verified = CASE WHEN \(email != nil) THEN \(email?.isVerified ?? false)
                ELSE is_email_verified END,
            is_private_email = CASE WHEN \(email != nil) THEN \(email?.isPrivate ?? false)
                ELSE is_private_email END,
            given_name = CASE WHEN \(!name.isEmpty) AND \(takesName) THEN \(name.given) ELSE given_name END,
            family_name = CASE WHEN \(!name.isEmpty) AND \(takesName) THEN \(name.family) ELSE family_name END
        WHERE team_id = \(team) AND sub = \(subject) AND \(condition)
        """
    }

    /// Statement that sets the name found by `source`, a table of a WITH clause with `given_name` and `family_name`.
    ///
    /// - Parameters:
    ///   - subject: an SQL expression of the `sub`.
    ///   - condition: an SQL condition; nothing is changed when it is false.
    public static func renaming(_ subject: SQL, from source: SQL, in team: TeamID, when condition: SQL) -> SQL {
        """
        UPDATE users SET given_name = \(source).given_name, family_name = \(source).family_name
        FROM \(source)
        WHERE users.team_id = \(team) AND users.sub = \(subject) AND \(condition)
        """
    }

    /// Statement that locks a user against changes until its transaction ends; it yields a row if the user exists.
    ///
    /// Run it first. Transactions that issue something for the user, such as a code, and those that end it wait for
    /// each other on this lock: the second sees what the first has written.
    public static func lock(_ subject: Subject, in team: TeamID) -> SQL {
        lock("\(subject)", in: team).locking(.person(subject, in: team))
    }

    /// Statement that locks several users, always in the order of `sub`.
    public static func lock(_ subjects: [Subject], in team: TeamID) -> SQL {
        let lock: SQL = """
            SELECT FROM users WHERE team_id = \(team) AND sub = ANY (\(subjects.map(\.rawValue)))
            ORDER BY sub FOR NO KEY UPDATE
            """
        return lock.locking(subjects.count == 1 ? .person(subjects[0], in: team) : nil)
    }

    /// Statement that locks a user for deletion, so that no row that refers to the user is added either.
    public static func deletionLock(_ subject: Subject, in team: TeamID) -> SQL {
        let lock: SQL = "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR UPDATE"
        return lock.locking(.person(subject, in: team))
    }

    /// Statement that deletes a user with everything that refers to the user by a foreign key; lock the user first.
    public static func deletion(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM users WHERE team_id = \(team) AND sub = \(subject)"
    }

    /// Statement that locks the user whose `sub` an SQL expression yields.
    public static func lock(_ subject: SQL, in team: TeamID) -> SQL {
        "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR NO KEY UPDATE"
    }

    /// Statement that ends the sign-ins of a user that are in progress.
    ///
    /// They contain proofs by a password or factor that was changed or removed, or of a user who is suspended now. A
    /// proof of an earlier credentials version creates no session.
    public static func endingSignIns(of subject: Subject, in team: TeamID) -> SQL {
        """
        UPDATE users SET credentials_version = credentials_version + 1
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    /// Shortest interval between two updates, because the proof before the answer was just recorded as a sign-in.
    private static let precision = Duration.seconds(60)

    /// Part of a WITH clause that records the time of the user's sign-in, whatever was recorded last.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written if it yields no row.
    public static func noting(everySignInOf subject: Subject, in team: TeamID, at now: Timestamp, when condition: SQL)
        -> SQL
    {
        """
        noted AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
        )
        """
    }

    /// Part of a WITH clause that records the time of the user's sign-in to an app, whatever the session.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written if it yields no row.
    public static func noting(signInOf subject: Subject, in team: TeamID, at now: Timestamp, when condition: SQL) -> SQL
    {
        """
        noted AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
                AND (last_sign_in_at IS NULL OR last_sign_in_at < \(now - precision))
        )
        """
    }
}

extension AuditEvent.Target {
    /// The user as the target of an audit event.
    public static func user(_ subject: Subject) -> AuditEvent.Target { AuditEvent.Target("user", subject.rawValue) }
}
