public import Bytes
public import Directory

/// What is asked of a provider after the sign-in, and what it tells by itself.
public protocol ProviderLifeCycle: Sendable {
    var id: ProviderID { get }

    /// Ends the authorization behind a token; one that is dead already is no failure.
    ///
    /// - Parameter text: the token of `token`.
    /// - Throws: `ProviderFailure`; with the remedy `again` where it is the provider's trouble.
    func revoke(
        _ token: ProviderToken,
        text: String,
        in team: TeamSnapshot
    ) async throws(ProviderFailure)

    /// Whether the authorization behind a token still stands.
    ///
    /// - Throws: `ProviderFailure` where nobody can tell; with the cause `providerClient` or `providerAbsent` where that is
    ///   for the team to change.
    func isAlive(
        _ token: ProviderToken,
        text: String,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> Bool

    /// What the provider tells of its people, proved to come from it.
    ///
    /// - Parameter moment: when it came, by which its times are judged.
    /// - Throws: `ProviderFailure`; with the remedy `again` where it could not be verified now.
    func notice(
        _ body: [UInt8],
        receivedAt moment: Timestamp,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderNotice
}
