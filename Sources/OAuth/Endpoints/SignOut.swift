import Platform

/// Ends an app's sessions of a user and the sessions at the hosted pages they came from; the consent remains, and the
/// next sign-in does not ask for it again.
public struct SignOut: ClientEndpoint {
    let ends: AuthorizationEndStore

    public init(ends: AuthorizationEndStore) { self.ends = ends }

    /// Ends the session behind `refresh_token`, or without that parameter all sessions of `sub` with the client's group
    /// of apps.
    ///
    /// Returning is success, as with revocation: an ended session needs no further action.
    ///
    /// - Throws: `OAuthError` when `sub` is missing, `PostgresFailure` when nothing was ended.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let sub = try request.parameters.required("sub")
        guard let subject = Subject(rawValue: sub) else { return [] }
        var token: RefreshToken?
        if let text = request.parameters["refresh_token"] {
            token = RefreshToken(text)
            guard token != nil else { return [] }
        }
        try await ends.signOut(
            subject, of: request.client, token: token, in: request.team.id, from: request.origin, at: request.moment)
        return []
    }
}
