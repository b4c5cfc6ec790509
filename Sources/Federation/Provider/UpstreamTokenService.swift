public import Core
public import OAuth
public import Platform

/// Operations after a sign-in: revocation and validation of a provider's tokens, and its notifications.
public protocol UpstreamTokenService: Sendable {
    var id: ProviderID { get }

    /// Ends the authorization of a token; a token that is already dead is no failure.
    ///
    /// - Parameter text: the text of `token`.
    /// - Throws: `UpstreamFailure`; with the remedy `again` if the provider has a problem.
    func revoke(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure)

    /// Whether the authorization of a token is still valid.
    ///
    /// - Throws: `UpstreamFailure` if this cannot be determined; with the cause `upstreamClient` or `upstreamAbsent` if
    ///   the team must change something.
    func isAlive(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure) -> Bool

    /// Whether the client of a token has gone to another of the provider's teams since: that ended the token, not its
    /// user's authorization.
    func hasMoved(_ token: UpstreamToken, in team: TeamSnapshot) -> Bool

    /// Verifies a notification and returns its content.
    ///
    /// - Parameter moment: time of arrival, at which the notification's times are checked.
    /// - Throws: `UpstreamFailure`; with the remedy `again` if it could not be verified now.
    func notification(_ body: [UInt8], receivedAt moment: Timestamp, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamNotification
}

/// Final result of an upstream token's revocation.
public enum UpstreamTokenFate: Equatable, Sendable {
    case revoked
    case refused(UpstreamTokenProblem)
    /// No call, because the user has signed in again; the revocation of the newer token will end the authorization.
    case superseded
}
