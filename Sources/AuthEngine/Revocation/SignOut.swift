import Bytes
import Crypto
public import Domain

/// Ends an app's sessions with a person; the consent stands, and the next sign-in needs no sheet.
public struct SignOut: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let store: SignOutStore

    public init(context: EngineContext, database: TeamDatabase, trials: TrialStore) {
        self.context = context
        self.trials = trials
        store = SignOutStore(database: database)
    }

    /// Ends the one session behind `refresh_token`, or without it all that the client's group of apps has with
    /// `sub`.
    ///
    /// Returning is success, as with revocation: a session that is over needs no ending.
    ///
    /// - Throws: `OAuthError` when the client did not prove itself, `PostgresFailure` when nothing was ended.
    public func respond(
        to parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws {
        let moment = context.clock()
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: moment
        )
        let sub = try parameters.required("sub")
        guard let subject = Subject(rawValue: sub) else { return }
        let end = SignOutStore.End(
            client: client,
            subject: subject,
            team: team.id,
            origin: origin,
            at: moment
        )
        guard let text = parameters["refresh_token"] else { return try await store.all(end) }
        guard let token = RefreshToken(text) else { return }
        try await store.one(token, end)
    }
}
