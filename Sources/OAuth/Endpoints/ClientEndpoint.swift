/// An endpoint for apps: it declares how its client proves itself, and is called with an authenticated client only.
public protocol ClientEndpoint: Sendable {
    /// How the client of a request proves itself; by a secret unless the endpoint says otherwise.
    func proof(for parameters: ProtocolParameters) -> ClientProof

    /// Responds to an authenticated client; the body is JSON or empty.
    ///
    /// - Throws: `OAuthError` when the endpoint refuses, `PostgresFailure`.
    func respond(to request: AuthenticatedRequest) async throws -> [UInt8]
}

extension ClientEndpoint { public func proof(for parameters: ProtocolParameters) -> ClientProof { .secret } }
