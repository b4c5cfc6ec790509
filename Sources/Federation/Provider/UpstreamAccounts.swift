public import Platform
public import Postgres

/// The accounts of users, as events at a provider concern them; the module Accounts implements it.
public protocol UpstreamAccounts: Sendable {
    /// Deletes a user, because the provider's account ended.
    func end(_ subject: Subject, reason: String, _ change: borrowing Change) async throws

    /// Statement that notes the state of an upstream token in the receipts of account deletions.
    ///
    /// - Parameters:
    ///   - fate: nil for a token that is to be revoked after all.
    ///   - tokens: a query of ids of upstream tokens.
    func noting(_ fate: UpstreamTokenFate?, ofThose tokens: SQL, in team: TeamID) -> SQL
}
