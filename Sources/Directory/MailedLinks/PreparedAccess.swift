public import Domain
public import Postgres

/// Ends what may have been prepared in an account before the owner of its address came: passkeys, codes, accounts at
/// providers, sessions, and what apps were given.
///
/// The account of an address that nobody has confirmed may be a stranger's work, who waits for its owner to use it.
public struct PreparedAccess: Sendable {
    /// Ends all of it in the caller's transaction.
    public typealias End =
        @Sendable (
            _ subject: Subject,
            _ caller: AccountCaller,
            _ transaction: borrowing Transaction
        ) async throws -> Void

    let end: End

    public init(_ end: @escaping End) {
        self.end = end
    }
}
