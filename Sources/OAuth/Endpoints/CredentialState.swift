import Core
public import Platform

/// State of a user's authorization, in the four values of Apple's devices
/// (`ASAuthorizationAppleIDProvider.CredentialState`).
public enum CredentialState: String, Sendable {
    case authorized
    case revoked
    case notFound
    case transferred
}

/// The endpoint with which a client queries the state of a user's authorization.
public struct CredentialStates: ClientEndpoint {
    let store: CredentialStateStore

    public init(database: TeamDatabase) { store = CredentialStateStore(database: database) }

    /// What a client learns about the authorization of a user.
    struct Details: Sendable {
        let state: CredentialState
        /// Apple's `real_user_status`; nil if Apple, or a native app, never told it.
        var realUserStatus: Int?
        /// The user's name in the transfer from another team, while its window is open.
        var transferSubject: Subject?
    }

    /// The state of the user `sub` for the client's group of apps, as JSON, with what is known of the user's device and
    /// of a transfer.
    ///
    /// - Throws: `OAuthError` when `sub` is missing, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let sub = try request.parameters.required("sub")
        var details = Details(state: .notFound)
        if let subject = Subject(rawValue: sub) {
            details = try await store.state(
                of: subject, for: request.client.primaryAppID, in: request.team.id, at: request.moment)
        }
        var json = JSONWriter(capacity: 128)
        json.member("credential_state", details.state.rawValue)
        if let status = details.realUserStatus { json.member("real_user_status", status) }
        if let name = details.transferSubject { json.member("transfer_sub", name.rawValue) }
        return json.finish()
    }
}
