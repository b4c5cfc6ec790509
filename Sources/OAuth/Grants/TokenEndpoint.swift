import Core
import Crypto
import EventLoop
public import Platform
import Postgres

/// The token endpoint: authenticate the client, find the grant, issue.
public struct TokenEndpoint: ClientEndpoint {
    public let clients: ClientAuthenticator
    private let grants: [Grant]
    private let uses: KeyUses

    /// - Parameter further: grants of other modules.
    public init(
        server: ServerContext, database: TeamDatabase, ends: AuthorizationEndStore, testSignIns: TestSignInStore,
        traces: any TraceSink, further: [Grant] = []
    ) {
        clients = ClientAuthenticator(server, testSignIns)
        uses = KeyUses(database: database, log: server.log)
        let services = GrantServices(
            server: server, codes: CodeStore(database: database), tokens: RefreshTokenStore(database: database),
            ends: ends, redeemers: RedeemingClients(database: database, log: server.log), traces: traces,
            migration: UserMigrationStore(database: database, server: server))
        grants =
            [
                .authorizationCode(services), .refreshToken(services), .publicRefreshToken(services),
                .clientCredentials(services),
            ] + further
    }

    /// A public client proves itself as one of the grants of that type declares.
    public func proof(for parameters: ProtocolParameters) -> ClientProof {
        guard let type = parameters["grant_type"] else { return .clientSecret }
        return grants.first { $0.type.isExactly(type) && $0.proof.isOfPublicClient }?.proof ?? .clientSecret
    }

    /// Responds with the JSON of RFC 6749 section 5.1.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        await uses.note(request.client, in: request.team.id, at: request.moment, from: request.origin)
        let type = try request.parameters.required("grant_type")
        let grant = grants.first { $0.type.isExactly(type) && $0.proof.isOfPublicClient == request.client.isPublic }
        guard let grant else {
            throw OAuthError(
                .unsupportedGrantType, cause: .grantTypeUnsupported, because: "grant_type is not supported")
        }
        return try await grant.respond(request)
    }
}

extension ClientProof {
    fileprivate var isOfPublicClient: Bool { if case .rotatingToken = self { true } else { false } }
}

extension AuthenticatedClient {
    fileprivate var isPublic: Bool { if case .rotatingToken = proof { true } else { false } }
}
