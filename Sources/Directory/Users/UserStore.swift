import Core
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

    let database: TeamDatabase
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

    /// Adds a user with a new `sub`.
    ///
    /// - Throws: `Failure.loginTaken`, `PostgresFailure`.
    @discardableResult public func create(_ new: NewUser, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> Subject
    {
        try await database.transaction(in: team) { transaction in
            try await create(new, in: team, by: actor, from: origin, transaction)
        }
    }

    /// Adds a user with a new `sub` in the caller's transaction, which stays usable if the login name is taken.
    ///
    /// - Throws: `Failure.loginTaken`, `PostgresFailure`.
    @discardableResult public func create(
        _ new: NewUser, in team: TeamID, by actor: Actor, from origin: Origin, _ transaction: borrowing Transaction
    ) async throws -> Subject {
        let subject = Subject(hexadecimal: Hex.encode(random.bytes(16)))
        let added = try await transaction.query(Self.insertion(of: new, as: subject, in: team))
        guard !added.isEmpty else { throw Failure.loginTaken }
        // The log contains no names and addresses because it outlives the user.
        let after: JSONValue = [
            "isEmailVerified": .boolean(new.isEmailVerified), "hasPassword": .boolean(new.password != nil),
        ]
        try await AuditEvent("user.created", by: actor, on: .user(subject), from: origin, after: after).record(
            in: team, transaction)
        return subject
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

    /// Inserts the login name first, without which nothing else is added.
    private static func insertion(of new: NewUser, as subject: Subject, in team: TeamID) -> SQL {
        """
        WITH login AS (
            INSERT INTO login_names (team_id, login, sub)
            SELECT \(team), \(new.login), \(subject) WHERE \(new.login) IS NOT NULL
            ON CONFLICT (team_id, login) DO NOTHING
            RETURNING sub
        ), person AS (
            INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
            SELECT \(team), \(subject), \(new.name.given), \(new.name.family), \(new.email),
                \(new.isEmailVerified)
            WHERE \(new.login) IS NULL OR EXISTS (SELECT FROM login)
            RETURNING sub
        ), password AS (
            INSERT INTO passwords (team_id, sub, hash)
            SELECT \(team), sub, \(new.password?.text) FROM person WHERE \(new.password?.text) IS NOT NULL
        )
        SELECT sub FROM person
        """
    }
}

extension AuditEvent.Target {
    /// The user as the target of an audit event.
    public static func user(_ subject: Subject) -> AuditEvent.Target { AuditEvent.Target("user", subject.rawValue) }
}
