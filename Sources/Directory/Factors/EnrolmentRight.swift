public import Postgres

/// What lets a person add a factor: a sign-in under way that wants one, or a session of theirs.
///
/// It is looked at once the person is locked. Whoever ends it, with another password or as a team that suspends the
/// person, locks them too: what ended while the enrolment waited lets nobody in any more.
public struct EnrolmentRight: Sendable {
    private enum Source: Sendable {
        case attempt(SQL)
        case session(SessionRight)
    }

    private let source: Source

    /// - Parameter statement: yields a row while the sign-in wants it.
    public init(whileFound statement: SQL) {
        source = .attempt(statement)
    }

    private init(_ source: Source) {
        self.source = source
    }

    /// By a session of the person's.
    public static func session(_ right: SessionRight) -> EnrolmentRight {
        EnrolmentRight(.session(right))
    }

    /// - Throws: `FactorRefusal.over`, `PostgresFailure`.
    func check(_ transaction: borrowing Transaction) async throws {
        let stands =
            switch source {
            case .attempt(let statement): try await !transaction.query(statement).isEmpty
            case .session(let right): try await right.stands(transaction)
            }
        guard stands else { throw FactorRefusal.over }
    }
}
