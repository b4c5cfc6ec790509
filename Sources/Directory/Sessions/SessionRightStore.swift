import Bytes
public import Domain
public import Postgres

// What is looked at, once the person is locked.
extension SessionRight {
    /// The statement that yields a row while it stands: for a transaction in which the person is locked.
    public var standing: SQL {
        let now = clock()
        let recently: SQL = proofLife.map { "AND held.proved_at >= \(now - $0)" } ?? ""
        return """
            SELECT FROM sessions AS held
            JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
            WHERE held.team_id = \(team) AND held.token_hash = \(session.id.hash)
                AND held.sub = \(session.user.subject) AND held.expires_at > \(now) \(recently)
                AND holder.suspended_at IS NULL
                AND holder.credentials_version = \(session.user.credentialsVersion)
            """
    }

    /// Looks at the session; the person is locked.
    ///
    /// - Throws: `Over`, `PostgresFailure`.
    public func check(_ transaction: borrowing Transaction) async throws {
        guard try await stands(transaction) else { throw Over() }
    }

    /// Whether it stands; the person is locked.
    func stands(_ transaction: borrowing Transaction) async throws(PostgresFailure) -> Bool {
        try await !transaction.query(standing).isEmpty
    }
}

extension UserStore {
    /// Keeps a person from changing, as the statement does, and looks then at what they change something by.
    ///
    /// - Parameter right: nil where somebody else changes it.
    /// - Returns: false when the team has no such person.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    @discardableResult
    public static func lock(
        _ subject: Subject,
        by right: SessionRight?,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        let person = try await transaction.query(lock(subject, in: team))
        try await right?.check(transaction)
        return !person.isEmpty
    }
}
