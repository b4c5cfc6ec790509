import Core
public import Platform

/// The token endpoint: each grant declares how its client proves itself, and is asked once it has.
public struct TokenEndpoint: ClientEndpoint {
    private let services: GrantServices
    private let uses: KeyUses

    /// - Parameter provider: redeems an authorization code that this team has not issued; nil for a client without such
    ///   codes.
    public init(
        server: ServerContext, database: TeamDatabase, ends: AuthorizationEndStore, traces: any TraceSink,
        redeemingAtProvider provider: @escaping @Sendable (AuthenticatedRequest) async throws -> [UInt8]? = { _ in nil }
    ) {
        uses = KeyUses(database: database, log: server.log)
        services = GrantServices(
            server: server, database: database, codes: CodeStore(database: database),
            tokens: RefreshTokenStore(database: database), ends: ends,
            redeemers: RedeemingClients(database: database, log: server.log), traces: traces, provider: provider)
    }

    public func proof(for parameters: ProtocolParameters) -> ClientProof {
        parameters["grant_type"].flatMap(grant)?.proof ?? .secret
    }

    /// Responds with the JSON of RFC 6749 section 5.1.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        await uses.note(request.client, in: request.team.id, at: request.moment, from: request.origin)
        guard let grant = grant(try request.parameters.required("grant_type")) else {
            throw OAuthError(
                .unsupportedGrantType, cause: .grantTypeUnsupported, because: "grant_type is not supported")
        }
        return try await grant.respond(request, services)
    }

    private func grant(_ type: String) -> Grant? { Grant.all.first { $0.type.isExactly(type) } }
}
