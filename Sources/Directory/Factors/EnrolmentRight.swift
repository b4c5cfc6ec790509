import Platform
public import Postgres

/// Right of a user to add a factor: an interaction that requires one, or a session of the user.
///
/// It is checked once the user is locked. A password change or a suspension, which end it, lock the user too: a right
/// that ended while the enrolment waited is rejected.
public struct EnrolmentRight: Sendable {
    private enum Source: Sendable {
        case interaction(SQL)
        case session(SessionRight)
    }

    private let source: Source

    /// Creates the right by an interaction.
    ///
    /// - Parameter statement: yields a row while the interaction requires a factor.
    public init(whileFound statement: SQL) { source = .interaction(statement) }

    private init(_ source: Source) { self.source = source }

    /// Creates the right by a session of the user.
    public static func session(_ right: SessionRight) -> EnrolmentRight { EnrolmentRight(.session(right)) }

    /// Checks the right; the user is locked.
    ///
    /// - Throws: `FactorRefusal.expired`, `PostgresFailure`.
    func check(_ change: borrowing Change) async throws {
        let stands =
            switch source {
            case .interaction(let statement): try await !change.query(statement).isEmpty
            case .session(let right): try await right.stands(change)
            }
        guard stands else { throw FactorRefusal.expired }
    }
}
