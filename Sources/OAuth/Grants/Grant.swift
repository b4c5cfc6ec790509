import Core
import Platform

/// A grant of the token endpoint (RFC 6749 section 1.3), as a value: another one is added to the endpoint's list.
public struct Grant: Sendable {
    /// The `grant_type` that asks for it.
    let type: String
    /// How its client proves itself; the endpoint has one grant at most for each type and proof.
    let proof: ClientProof
    /// Responds to an authenticated client with the JSON of RFC 6749 section 5.1.
    let respond: @Sendable (AuthenticatedRequest) async throws -> [UInt8]

    public init(
        _ type: String, proof: ClientProof = .clientSecret,
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
    let codes: CodeStore
    let tokens: RefreshTokenStore
    let ends: AuthorizationEndStore
    let redeemers: RedeemingClients
    let traces: any TraceSink
    let migration: UserMigrationStore

    func issuer(of request: AuthenticatedRequest) -> TokenIssuer { TokenIssuer(team: request.team, server: server) }

    func transferSubject(of subject: Subject, _ request: AuthenticatedRequest) async throws -> Subject? {
        try await migration.name(
            of: subject, for: request.client.client.primaryAppID, in: request.team, at: request.moment)
    }
}
