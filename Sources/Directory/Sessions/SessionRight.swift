public import Core
public import Platform
public import Postgres

/// Right of a user to change their own data: the session of the request, as it was read for it.
///
/// It is checked again within the transaction of the change, once the user is locked. A password change or a
/// suspension, which end sessions, lock the user too: so nothing is changed by a session that has ended while the
/// change waited, nor by the proof of a password or factor that has changed since.
public struct SessionRight: Sendable {
    /// The session has ended meanwhile, or its proof is out of date.
    public struct Ended: Error, Sendable { public init() {} }

    public let session: Session
    let team: TeamID
    let proofLife: Duration?
    let isOverFactors: Bool
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - proofLife: greatest age of the user's latest proof; nil for any age.
    ///   - isOverFactors: whether it is to change factors, which only a session does that has proved one of them if there
    ///     are any (`Session.hasProvedFactor`).
    ///   - clock: read when the session is checked, and not before.
    public init(
        _ session: Session, in team: TeamID, provedWithin proofLife: Duration? = nil, isOverFactors: Bool = false,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.session = session
        self.team = team
        self.proofLife = proofLife
        self.isOverFactors = isOverFactors
        self.clock = clock
    }
}

// Checks that are made once the user is locked.
extension SessionRight {
    /// Statement that yields a row while the right is valid, for a transaction in which the user is locked.
    public var condition: SQL {
        let now = clock()
        let recently: SQL = proofLife.map { "AND held.proved_at >= \(now - $0)" } ?? ""
        let byFactor: SQL =
            isOverFactors
            ? """
            AND (held.first_factor = \(ProofMethod.passkey) OR held.second_factor IS NOT NULL
                OR NOT EXISTS (\(FactorRowStore.all(of: session.user.subject, in: team))))
            """ : ""
        return """
            SELECT FROM sessions AS held
            JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
            WHERE held.team_id = \(team) AND held.token_hash = \(session.id.hash)
                AND held.sub = \(session.user.subject) AND held.expires_at > \(now) \(recently) \(byFactor)
                AND holder.suspended_at IS NULL
                AND holder.credentials_version = \(session.user.credentialsVersion)
            """
    }

    /// Checks the session; the user is locked.
    ///
    /// - Throws: `Ended`, `PostgresFailure`.
    public func check(_ change: borrowing Change) async throws { guard try await stands(change) else { throw Ended() } }

    /// Whether the right is valid; the user is locked.
    func stands(_ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        try await !change.query(condition).isEmpty
    }
}

extension UserStore {
    /// Locks a user against changes, then checks the right by which the user changes something.
    ///
    /// - Parameter right: nil if another party makes the change.
    /// - Returns: false if the team has no such user.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    @discardableResult public static func lock(
        _ subject: Subject, by right: SessionRight? = nil, _ change: borrowing Change
    ) async throws -> Bool {
        let person = try await change.query(lock(subject, in: change.team))
        try await right?.check(change)
        return !person.isEmpty
    }
}
