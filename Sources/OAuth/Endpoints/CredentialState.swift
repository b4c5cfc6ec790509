import Bytes
public import Domain

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
    public let clients: ClientAuthenticator
    let store: CredentialStateStore

    public init(server: ServerContext, database: TeamDatabase, testSignIns: TestSignInStore) {
        clients = ClientAuthenticator(server, testSignIns)
        store = CredentialStateStore(database: database)
    }

    /// The state of the user `sub` for the client's group of apps, as JSON.
    ///
    /// - Throws: `OAuthError` when `sub` is missing, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let sub = try request.parameters.required("sub")
        var state = CredentialState.notFound
        if let subject = Subject(rawValue: sub) {
            state = try await store.state(of: subject, for: request.client.client.primaryAppID, in: request.team.id)
        }
        var json = JSONWriter(capacity: 64)
        json.member("credential_state", state.rawValue)
        return json.finish()
    }
}
