public import Platform
public import Postgres

/// Removes access prepared in an account before the owner of its address confirmed it: passkeys, codes, provider
/// accounts, sessions, and grants to apps.
///
/// An account with an unconfirmed address may have been created by an attacker who waits for the owner to use it.
public struct PreparedAccess: Sendable {
    /// Ends all prepared access in the caller's transaction.
    public typealias End =
        @Sendable (_ subject: Subject, _ caller: AccountCaller, _ transaction: borrowing Transaction) async throws ->
        Void

    let end: End

    public init(_ end: @escaping End) { self.end = end }
}
