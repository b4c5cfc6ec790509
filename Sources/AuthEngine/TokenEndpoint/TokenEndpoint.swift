import Bytes
import Crypto
public import Domain
import EventLoop
import Postgres

/// The token endpoint: parse, authenticate the client, check the grant, issue.
///
/// A grant is only reached by a client that has proved itself, so none can forget to ask.
public struct TokenEndpoint: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let codes: CodeStore
    let tokens: RefreshTokenStore
    let uses: KeyUses
    let redeemers: RedeemingClients
    let flows: FlowRecorder
    let migration: UserMigrationStore

    public init(
        context: EngineContext,
        database: TeamDatabase,
        trials: TrialStore,
        flows: FlowRecorder
    ) {
        self.context = context
        self.flows = flows
        self.trials = trials
        codes = CodeStore(database: database)
        tokens = RefreshTokenStore(database: database)
        uses = KeyUses(database: database, log: context.log)
        redeemers = RedeemingClients(database: database, log: context.log)
        migration = UserMigrationStore(database: database, context: context)
    }

    /// Answers one request with the JSON of RFC 6749 section 5.1.
    ///
    /// - Throws: `OAuthError` for what the client did wrong, `PostgresFailure` when the store did not answer.
    public func respond(
        to parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws -> [UInt8] {
        if let answer = try await refreshPublicly(parameters, of: team, from: origin) { return answer }
        let moment = context.clock()
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: moment
        )
        await uses.note(client, in: team.id, at: moment, from: origin)
        let request = Request(
            parameters: parameters,
            client: client,
            issuer: TokenIssuer(team: team, context: context),
            origin: origin,
            moment: moment
        )
        switch try parameters.required("grant_type") {
        case "authorization_code": return try await redeemCode(request)
        case "refresh_token": return try await refresh(request)
        case "client_credentials": return try answerClient(request)
        default:
            throw OAuthError(
                .unsupportedGrantType,
                cause: .grantTypeUnsupported,
                because: "grant_type is not supported"
            )
        }
    }

    /// One request of an authenticated client.
    struct Request: Sendable {
        let parameters: ProtocolParameters
        let client: AuthenticatedClient
        let issuer: TokenIssuer
        let origin: Origin
        let moment: Timestamp

        var team: TeamID { issuer.team.id }
    }

    func transferSubject(of subject: Subject, _ request: Request) async throws(PostgresFailure) -> Subject? {
        let group = request.client.client.group
        return try await migration.name(of: subject, for: group, in: request.issuer.team, at: request.moment)
    }
}
