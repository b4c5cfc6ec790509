import Bytes
public import Domain

/// What has become of a person's authorization, in the four words Apple's devices know
/// (`ASAuthorizationAppleIDProvider.CredentialState`).
public enum CredentialState: String, Sendable {
    case authorized
    case revoked
    case notFound
    case transferred
}

/// Tells a client how it stands with a person.
public struct CredentialStates: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let store: CredentialStateStore

    public init(context: EngineContext, database: TeamDatabase, trials: TrialStore) {
        self.context = context
        self.trials = trials
        store = CredentialStateStore(database: database)
    }

    /// The state for the person `sub` names and the client's group of apps, as JSON.
    ///
    /// - Throws: `OAuthError` when the client did not prove itself or named nobody, `PostgresFailure`.
    public func respond(to parameters: ProtocolParameters, of team: TeamSnapshot) async throws -> [UInt8] {
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: context.clock()
        )
        let sub = try parameters.required("sub")
        var state = CredentialState.notFound
        if let subject = Subject(rawValue: sub) {
            state = try await store.state(of: subject, for: client.client.group, in: team.id)
        }
        var json = JSONWriter(capacity: 64)
        json.member("credential_state", state.rawValue)
        return json.finish()
    }
}
