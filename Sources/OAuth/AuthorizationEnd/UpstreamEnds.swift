public import Platform
public import Postgres

/// Statements by which the providers behind this server take part in the end of an authorization.
///
/// The module Federation implements it, because the tables are its own.
public protocol UpstreamEnds: Sendable {
    /// Statement that deletes what native apps announced of the user for a group of apps.
    func forgetting(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL

    /// Query that yields a row while `forgetting` has something to delete.
    func announced(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL

    /// Statement that records that the user left a group of apps now, so that earlier answers of a provider are void.
    func unlinking(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL

    /// Parts of a WITH clause that enqueue the revocation of upstream tokens.
    ///
    /// - Parameters:
    ///   - subject: user whose live tokens end.
    ///   - condition: further condition on `upstream_tokens`.
    func tokenEnd(of subject: Subject, where condition: SQL, in team: TeamID) -> SQL
}
