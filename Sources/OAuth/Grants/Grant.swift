import Core
import Platform

/// A grant of the token endpoint (RFC 6749 section 1.3), as a value: another one is added to the endpoint's list.
struct Grant: Sendable {
    /// The `grant_type` that asks for it.
    let type: String
    /// How its client proves itself.
    let proof: ClientProof
    /// Responds to an authenticated client with the JSON of RFC 6749 section 5.1.
    let respond: @Sendable (AuthenticatedRequest) async throws -> [UInt8]

    init(
        _ type: String, proof: ClientProof = .secret,
        respond: @escaping @Sendable (AuthenticatedRequest) async throws -> [UInt8]
    ) {
        self.type = type
        self.proof = proof
        self.respond = respond
    }
}

/// The services that grants are made of.
struct GrantServices: Sendable {
    let server: ServerContext
    let database: TeamDatabase
    let codes: CodeStore
    let tokens: RefreshTokenStore
    let ends: AuthorizationEndStore
    let redeemers: RedeemingClients
    let traces: any TraceSink

    func issuer(of request: AuthenticatedRequest) -> TokenIssuer {
        TokenIssuer(team: request.team, server: server, database: database)
    }
}
