import Audit
import Bytes
import Crypto
import Directory
public import Domain
import Log
import Postgres

/// Sign-ins of native apps: the app shows Apple's own sheet and hands over what it gets.
///
/// The code is the proof, since it works once; there is no client secret in an app. Until it is redeemed nothing is written
/// of a person: a name that comes once lies aside meanwhile.
public struct NativeSignIn: Sendable {
    /// How long the same body is the same sign-in: an app whose network broke off asks again.
    static let repetition = Duration.seconds(60)
    /// How often a minute the provider may refuse the same, before it is asked no more.
    static let mostRefusals = 5
    /// How often a minute it may refuse codes that tokens of one person name, however many of them.
    static let mostRefusalsOfPerson = 50

    let provider: any NativeProvider
    let context: EngineContext
    let trials: TrialStore
    let handovers: NativeHandoverStore
    let limits: LimitStore
    let people: ProviderPersonStore
    let tokens: ProviderTokenStore
    let sessions: RefreshTokenStore
    let strays: StrayTokenStore
    let flows: FlowRecorder
    let migration: UserMigrationStore

    public init(
        _ provider: any NativeProvider,
        context: EngineContext,
        database: TeamDatabase,
        trials: TrialStore,
        flows: FlowRecorder
    ) {
        self.provider = provider
        self.context = context
        self.trials = trials
        self.flows = flows
        handovers = NativeHandoverStore(database, patience: provider.patience)
        limits = LimitStore(database)
        people = ProviderPersonStore(database)
        tokens = ProviderTokenStore(context: context)
        sessions = RefreshTokenStore(database: database)
        strays = StrayTokenStore(database, context: context)
        migration = UserMigrationStore(database: database, context: context)
    }

    /// Answers one handover with tokens, `user` and `is_new_user`.
    ///
    /// The same body within a minute is answered with new tokens of the same session; the earlier ones end. To come with
    /// a client secret and without one are two: who has seen a backend's body gains nothing by it.
    ///
    /// - Parameter provenOnly: refuses what does not prove here, before Apple is asked, that token and code came together.
    /// - Throws: `OAuthError` for what the app did wrong, `ProviderFailure` for what Apple did, `Unproven`,
    ///   `PostgresFailure`.
    public func respond(
        to parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin,
        provenOnly: Bool = false
    ) async throws -> [UInt8] {
        let moment = context.clock()
        let handover = try NativeHandover(parameters)
        let arrival = Arrival(
            handover: handover,
            client: try client(handover, of: team),
            keepsSecret: try await backend(parameters, of: team) != nil,
            team: team,
            origin: origin,
            provenOnly: provenOnly,
            at: moment
        )
        switch try await handovers.keep(handover, in: team.id, at: moment) {
        case .settled(let settled): return try await again(settled, arrival)
        case .busy:
            throw ProviderFailure(
                .providerBusy,
                .again,
                because: "the same handover is under way in another request"
            )
        case .claimed(let end):
            do {
                return try await settle(arrival, claimedUntil: end)
            } catch {
                // The first error tells more; the claim lapses by itself.
                await context.log.attempt("native.release_failed", request: origin.requestID) {
                    if Self.isFinal(error) {
                        try await handovers.forget(handover, claimedUntil: end, in: team.id)
                    } else {
                        try await handovers.release(handover, claimedUntil: end, in: team.id)
                    }
                }
                throw error
            }
        }
    }

    /// Whether the same handover cannot go better a second time.
    private static func isFinal(_ error: any Error) -> Bool {
        (error as? ProviderFailure).map { $0.remedy != .again } ?? (error is OAuthError || error is Unproven)
    }

    /// A handover that only Apple could judge, while Apple is not to be asked about such.
    public struct Unproven: Error, Equatable, Sendable {}

    /// A handover with everything it meets here.
    struct Arrival: Sendable {
        let handover: NativeHandover
        let client: Client
        /// Whether the client has proved itself with a secret, and so gets the kind of token that lasts.
        let keepsSecret: Bool
        let team: TeamSnapshot
        let origin: Origin
        let provenOnly: Bool
        let at: Timestamp
    }

    /// The app: one of the team's bundle IDs, whose group is registered at Apple.
    private func client(_ handover: NativeHandover, of team: TeamSnapshot) throws(OAuthError) -> Client {
        guard let id = ClientID(rawValue: handover.clientID), let client = team.client(id),
            !team.isServiceID(id)
        else {
            throw OAuthError(
                .invalidClient,
                cause: .client(handover.clientID),
                because: "client_id is no bundle ID of this team"
            )
        }
        guard client.isEnabled else {
            throw OAuthError(
                .invalidClient,
                cause: .clientDisabled,
                because: "sign-in is switched off for \(id)"
            )
        }
        guard team.offersApple(to: client.group) else {
            throw OAuthError(
                .invalidClient,
                cause: .providerAbsent,
                because: "the group of \(id) has no connection to Apple"
            )
        }
        return client
    }

    /// The client whose backend hands over for its app, and has proved itself; nil where no secret came, as from an app.
    ///
    /// - Throws: `OAuthError` for a secret that proves nothing, `PostgresFailure`.
    public func backend(
        _ parameters: ProtocolParameters,
        of team: TeamSnapshot
    ) async throws -> ClientID? {
        guard parameters["client_secret"] != nil else { return nil }
        return try await ClientAuthentication(at: team, context, trials)
            .authenticate(parameters, at: context.clock()).client.id
    }
}
