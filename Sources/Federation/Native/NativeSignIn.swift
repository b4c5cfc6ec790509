import Core
import Crypto
import Directory
public import OAuth
public import Platform
import Postgres

/// Sign-ins of native apps, which show Apple's own sheet and hand over its result.
///
/// The code is the proof, because it works once; an app has no client secret. No user data is written until the code is
/// redeemed: a name that is sent once is stored separately meanwhile.
public struct NativeSignIn: Sendable {
    /// Time for which an equal body is the same sign-in, for apps that retry after a network failure.
    static let repetition = Duration.seconds(60)

    let provider: any NativeProvider
    let server: ServerContext
    let clients: ClientAuthenticator
    let handovers: NativeHandoverStore
    let database: TeamDatabase
    let people: FederatedIdentityStore
    let tokens: UpstreamTokenStore
    let sessions: RefreshTokenStore
    let orphans: OrphanedTokenStore
    let traces: any TraceSink
    let migration: UserMigrationStore

    public init(
        _ provider: any NativeProvider, server: ServerContext, database: TeamDatabase, testSignIns: TestSignInStore,
        traces: any TraceSink
    ) {
        self.provider = provider
        self.server = server
        clients = ClientAuthenticator(server, testSignIns)
        self.traces = traces
        handovers = NativeHandoverStore(database, timeout: provider.timeout)
        self.database = database
        people = FederatedIdentityStore(database)
        tokens = UpstreamTokenStore(server: server)
        sessions = RefreshTokenStore(database: database)
        orphans = OrphanedTokenStore(database, server: server)
        migration = UserMigrationStore(database: database, server: server)
    }

    /// Answers a handover with tokens, `user` and `is_new_user`.
    ///
    /// An equal body within a minute is answered with new tokens of the same session; the earlier ones end. The same
    /// body with and without a client secret is two handovers: a backend's body is of no use to an attacker who has
    /// read it.
    ///
    /// - Parameters:
    ///   - asApple: answers with the members of Apple's token response alone.
    ///   - provenOnly: rejects, before Apple is asked, a handover that does not prove that token and code came
    ///     together.
    /// - Throws: `OAuthError` for errors of the app, `UpstreamFailure` for those of Apple, `TooManyRequests`,
    ///   `PostgresFailure`.
    public func respond(
        to parameters: ProtocolParameters, of team: TeamSnapshot, from origin: Origin, asApple: Bool = false,
        provenOnly: Bool = false
    ) async throws -> [UInt8] {
        let moment = server.clock()
        let handover = try NativeHandover(parameters)
        let login = Login(
            handover: handover, client: try client(handover, of: team),
            keepsSecret: try await backend(parameters, of: team) != nil, team: team, origin: origin,
            answersAsApple: asApple, provenOnly: provenOnly, at: moment)
        switch try await handovers.keep(handover, in: team.id, at: moment) {
        case .settled(let settled): return try await again(settled, login)
        case .busy:
            throw UpstreamFailure(.providerBusy, .again, because: "the same handover is under way in another request")
        case .claimed(let end):
            do { return try await settle(login, claimedUntil: end) } catch {
                // Logged only: the first error is more informative, and the claim expires by itself.
                await server.log.attempt("native.release_failed", request: origin.requestID) {
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

    /// Whether the same handover cannot succeed if it is sent again.
    private static func isFinal(_ error: any Error) -> Bool {
        (error as? UpstreamFailure).map { $0.remedy != .again } ?? (error is OAuthError || error is TooManyRequests)
    }

    /// Handover with the context in which it is processed.
    struct Login: Sendable {
        let handover: NativeHandover
        let client: Client
        /// Whether the client has authenticated with a secret, and so receives a refresh token that does not rotate.
        let keepsSecret: Bool
        let team: TeamSnapshot
        let origin: Origin
        let answersAsApple: Bool
        let provenOnly: Bool
        let at: Timestamp
    }

    /// Whether a code that this team has not issued may be one of Apple's: the client is a bundle ID whose group is
    /// registered there.
    public func mayRedeem(_ parameters: ProtocolParameters, of team: TeamSnapshot) -> Bool {
        guard let client = parameters["client_id"].flatMap(ClientID.init(rawValue:)).flatMap(team.client) else {
            return false
        }
        return !team.isServiceID(client.id) && team.offersApple(to: client.primaryAppID)
    }

    /// Client of the handover: a bundle ID of the team whose group is registered at Apple.
    private func client(_ handover: NativeHandover, of team: TeamSnapshot) throws(OAuthError) -> Client {
        guard let id = ClientID(rawValue: handover.clientID), let client = team.client(id), !team.isServiceID(id) else {
            throw OAuthError(
                .invalidClient, cause: .client(handover.clientID), because: "client_id is no bundle ID of this team")
        }
        guard client.isEnabled else {
            throw OAuthError(.invalidClient, cause: .clientDisabled, because: "sign-in is switched off for \(id)")
        }
        guard team.offersApple(to: client.primaryAppID) else {
            throw OAuthError(
                .invalidClient, cause: .providerAbsent, because: "the group of \(id) has no connection to Apple")
        }
        return client
    }

    /// Authenticated client whose backend hands over for its app; nil if there is no secret, as from an app.
    ///
    /// - Throws: `OAuthError` for an invalid secret, `PostgresFailure`.
    public func backend(_ parameters: ProtocolParameters, of team: TeamSnapshot) async throws -> ClientID? {
        guard parameters["client_secret"] != nil else { return nil }
        return try await clients.authenticate(parameters, of: team, at: server.clock()).client.id
    }
}
