public import Core
public import Platform

/// A client that has proved itself.
public struct AuthenticatedClient: Sendable {
    /// What the client proved itself by.
    enum Proof: Sendable {
        /// A client secret signed with a key of the team; `endsAt` is the expiry of one that lives longer than
        /// `ClientAuthentication.lasting`.
        case secret(KeyID, endsAt: Timestamp?)
        /// A client secret signed with the key of a test sign-in.
        case testSecret(KeyID, TestSignInID)
        /// The rotating refresh token that the request is about: a public client cannot keep a secret.
        case rotatingToken(RefreshToken)
    }

    /// The client.
    public let client: Client
    let proof: Proof

    init(_ client: Client, by proof: Proof) {
        self.client = client
        self.proof = proof
    }

    /// The test sign-in whose key signed the secret; nil for a client in use.
    public var testSignIn: TestSignInID? { if case .testSecret(_, let id) = proof { id } else { nil } }

    var keyID: KeyID? {
        switch proof {
        case .secret(let id, _), .testSecret(let id, _): id
        case .rotatingToken: nil
        }
    }
}

/// A request of a client that has proved itself, which only `ClientEndpoint` makes.
public struct AuthenticatedRequest: Sendable {
    /// The parameters of the request.
    public let parameters: ProtocolParameters
    /// The client that sent it.
    public let client: AuthenticatedClient
    /// The team of the client.
    public let team: TeamSnapshot
    /// The origin of the request, for the audit log.
    public let origin: Origin
    /// The time of the request.
    public let moment: Timestamp

    fileprivate init(
        _ parameters: ProtocolParameters, by client: AuthenticatedClient, of team: TeamSnapshot, from origin: Origin,
        at moment: Timestamp
    ) {
        self.parameters = parameters
        self.client = client
        self.team = team
        self.origin = origin
        self.moment = moment
    }
}

/// How a client proves itself at an endpoint.
public enum ClientProof: Sendable {
    /// A client secret: a JWT signed by the client (Apple, "Creating a client secret").
    case clientSecret
    /// For a public client the rotating refresh token in that parameter; for any other a client secret.
    case rotatingToken(parameter: String)
}

/// An endpoint for apps: it declares how its client proves itself, and is called with an authenticated client only.
public protocol ClientEndpoint: Sendable {
    associatedtype Answer

    /// The authentication of clients.
    var clients: ClientAuthenticator { get }

    /// How the client of a request proves itself.
    func proof(for parameters: ProtocolParameters) -> ClientProof

    /// Responds to an authenticated client.
    ///
    /// - Throws: `OAuthError`, `PostgresFailure`.
    func respond(to request: AuthenticatedRequest) async throws -> Answer
}

extension ClientEndpoint {
    public func proof(for parameters: ProtocolParameters) -> ClientProof { .clientSecret }

    /// Authenticates the client of a request, and responds to it.
    ///
    /// - Throws: `OAuthError` when the client is not authenticated or the endpoint refuses; `PostgresFailure`.
    public func respond(to parameters: ProtocolParameters, of team: TeamSnapshot, from origin: Origin) async throws
        -> Answer
    {
        let moment = clients.server.clock()
        let client = try await clients.authenticate(parameters, proof(for: parameters), of: team, at: moment)
        return try await respond(to: AuthenticatedRequest(parameters, by: client, of: team, from: origin, at: moment))
    }
}

/// The authentication of clients, as every endpoint for apps uses it.
public struct ClientAuthenticator: Sendable {
    /// The server that the clients call.
    public let server: ServerContext
    private let testSignIns: TestSignInStore

    public init(_ server: ServerContext, _ testSignIns: TestSignInStore) {
        self.server = server
        self.testSignIns = testSignIns
    }

    /// Authenticates the client that a request names.
    ///
    /// - Throws: `OAuthError` with `invalid_client` and the precise reason, or `PostgresFailure`.
    public func authenticate(
        _ parameters: ProtocolParameters, _ proof: ClientProof = .clientSecret, of team: TeamSnapshot,
        at moment: Timestamp
    ) async throws -> AuthenticatedClient {
        if case .rotatingToken(let parameter) = proof,
            let client = publicClient(parameters, token: parameters[parameter], of: team)
        {
            return client
        }
        return try await ClientAuthentication(at: team, server, testSignIns).authenticate(parameters, at: moment)
    }

    /// The public client of a request without a secret, or nil.
    private func publicClient(_ parameters: ProtocolParameters, token: String?, of team: TeamSnapshot)
        -> AuthenticatedClient?
    {
        guard parameters["client_secret"] == nil, let token = token.flatMap(RefreshToken.init), token.secretHash != nil,
            let client = parameters["client_id"].flatMap(ClientID.init).flatMap(team.client), client.isEnabled
        else { return nil }
        return AuthenticatedClient(client, by: .rotatingToken(token))
    }
}
