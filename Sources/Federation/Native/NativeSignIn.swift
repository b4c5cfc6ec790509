import Audit
import Bytes
import Crypto
import Directory
public import Domain
import Log
public import OAuth
import Postgres

/// Sign-ins of native apps, which show Apple's own sheet and hand over its result.
///
/// The code is the proof, because it works once; an app has no client secret. No user data is written until the code is
/// redeemed: a name that is sent once is stored separately meanwhile.
public struct NativeSignIn: ClientEndpoint {
    /// Time for which an equal body is the same sign-in, for apps that retry after a network failure.
    static let repetition = Duration.seconds(60)

    let provider: any NativeProvider
    let server: ServerContext
    let handovers: NativeHandoverStore
    let database: TeamDatabase
    let people: FederatedIdentityStore
    let tokens: UpstreamTokenStore
    let sessions: RefreshTokenStore
    let orphans: OrphanedTokenStore
    let traces: any TraceSink

    public init(_ provider: any NativeProvider, server: ServerContext, database: TeamDatabase, traces: any TraceSink) {
        self.provider = provider
        self.server = server
        self.traces = traces
        handovers = NativeHandoverStore(database, timeout: provider.timeout)
        self.database = database
        people = FederatedIdentityStore(database)
        tokens = UpstreamTokenStore(server: server)
        sessions = RefreshTokenStore(database: database)
        orphans = OrphanedTokenStore(database, server: server)
    }

    public func proof(for parameters: ProtocolParameters) -> ClientProof { .secretOrProviderCode }

    /// Answers a handover with tokens, `user` and `is_new_user`.
    ///
    /// An equal body within a minute is answered with new tokens of the same session; the earlier ones end. The same
    /// body with and without a client secret is two handovers: a backend's body is of no use to an attacker who has
    /// read it.
    ///
    /// - Throws: `OAuthError` for errors of the app, `UpstreamFailure` for those of Apple, `TooManyRequests`,
    ///   `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        try await respond(to: request, asApple: false)
    }

    /// Answers a backend written for Apple, which redeems at the token endpoint what its app got from Apple, with the
    /// members of Apple's token response alone.
    ///
    /// - Returns: nil for a client to which Apple issues no such codes.
    /// - Throws: as `respond`.
    public func redeem(_ request: AuthenticatedRequest) async throws -> [UInt8]? {
        do { try Self.check(request) } catch { return nil }
        return try await respond(to: request, asApple: true)
    }

    /// Counts a handover as failed until it has succeeded, so that no number of concurrent ones exceeds the limit.
    ///
    /// A backend forwards the handovers of all users of its app, so it is counted by its client ID, whatever its
    /// address; beyond its limit, only handovers that are verified here continue, and none is given back, because it
    /// may not have been counted. A failure on this server is not the sender's; what Apple was asked stays counted,
    /// because more would only make Apple throttle the team.
    private func respond(to request: AuthenticatedRequest, asApple: Bool) async throws -> [UInt8] {
        try Self.check(request)
        let handover = try NativeHandover(request.parameters)
        let network = LimitKey.network(request.origin.ip)
        let use = RateLimit.Use(.failedHandovers, by: request.client.hasSecret ? .client(request.client.id) : network)
        let others = request.client.hasSecret ? [] : [RateLimit.Use(.unauthenticatedWrites, by: network)]
        var provenOnly = false
        do { try await database.count([use] + others, in: request.team.id, at: request.moment) } catch let refusal
            as TooManyRequests
        {
            guard request.client.hasSecret else { throw refusal }
            provenOnly = true
        }
        let login = Login(
            handover: handover, client: request.client.client, keepsSecret: request.client.hasSecret,
            team: request.team, origin: request.origin, answersAsApple: asApple, provenOnly: provenOnly,
            at: request.moment)
        do {
            let tokens = try await answer(login)
            if !provenOnly { try await database.release([use], in: login.team.id, at: login.at) }
            return tokens
        } catch {
            if !provenOnly, let failure = error as? UpstreamFailure, failure.remedy == .again, !failure.reachedProvider,
                failure.cause != .providerKey
            {
                try await database.release([use], in: login.team.id, at: login.at)
            }
            throw error
        }
    }

    private func answer(_ login: Login) async throws -> [UInt8] {
        let (handover, team) = (login.handover, login.team.id)
        switch try await handovers.keep(handover, in: team, at: login.at) {
        case .settled(let settled): return try await again(settled, login)
        case .busy:
            throw UpstreamFailure(.providerBusy, .again, because: "the same handover is under way in another request")
        case .claimed(let end):
            do { return try await settle(login, claimedUntil: end) } catch {
                // Logged only: the first error is more informative, and the claim expires by itself.
                await server.log.attempt("native.release_failed", request: login.origin.requestID) {
                    if Self.isFinal(error) {
                        try await handovers.forget(handover, claimedUntil: end, in: team)
                    } else {
                        try await handovers.release(handover, claimedUntil: end, in: team)
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
        /// Whether to reject, before Apple is asked, a handover that does not prove that token and code came together.
        let provenOnly: Bool
        let at: Timestamp
    }

    /// Requires a bundle ID of the team whose group is registered at Apple.
    private static func check(_ request: AuthenticatedRequest) throws(OAuthError) {
        let (client, team) = (request.client, request.team)
        guard !team.isServiceID(client.id) else {
            throw OAuthError(
                .invalidClient, cause: .client(client.id.rawValue), because: "client_id is no bundle ID of this team")
        }
        guard team.offersApple(to: client.primaryAppID) else {
            throw OAuthError(
                .invalidClient, cause: .providerAbsent, because: "the group of \(client.id) has no connection to Apple")
        }
    }
}
