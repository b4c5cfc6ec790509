public import Core
public import Crypto
import Directory
public import Platform
import Registry

/// How the client of a request proves itself at an endpoint: by a client secret, a JWT that it has signed (Apple,
/// "Creating a client secret").
///
/// A native app cannot keep one. Where the endpoint allows it, the app sends something else, which the endpoint
/// verifies.
public enum ClientProof: Sendable {
    case secret
    /// A secret, or without one the rotating refresh token in that parameter.
    case secretOrRotatingToken(in: String)
    /// A secret, or without one a code of a provider.
    case secretOrUpstreamCode
}

/// A client that has proved itself.
public struct AuthenticatedClient: Sendable {
    /// What the client proved itself by.
    enum Proof: Sendable {
        /// A client secret signed with a key of the team; `endsAt` is the expiry of one that lives longer than
        /// `ClientAuthentication.lasting`.
        case secret(KeyID, endsAt: Timestamp?)
        /// A client secret signed with the key of a test sign-in.
        case testSecret(KeyID, TestSignInID)
        /// The rotating refresh token that the request is about.
        case rotatingToken(RefreshToken)
        /// The code of a provider that the request is about.
        case upstreamCode
    }

    /// The client.
    public let client: Client
    let proof: Proof

    init(_ client: Client, by proof: Proof) {
        self.client = client
        self.proof = proof
    }

    public var id: ClientID { client.id }
    public var primaryAppID: ClientID { client.primaryAppID }

    /// The test sign-in whose key signed the secret; nil for a client in use.
    public var testSignIn: TestSignInID? { if case .testSecret(_, let id) = proof { id } else { nil } }

    /// Whether the client has sent a secret.
    public var hasSecret: Bool { keyID != nil }

    var keyID: KeyID? {
        switch proof {
        case .secret(let id, _), .testSecret(let id, _): id
        case .rotatingToken, .upstreamCode: nil
        }
    }
}

/// A request of a client that has proved itself, which only `ClientAuthenticator` makes.
public struct AuthenticatedRequest: Sendable {
    /// The parameters of the request.
    public let parameters: ProtocolParameters
    /// The token of the `Authorization` field, not verified yet.
    let accessToken: String?
    /// The client that sent it.
    public let client: AuthenticatedClient
    /// The team of the client.
    public let team: TeamSnapshot
    /// The origin of the request, for the audit log.
    public let origin: Origin
    /// The time of the request.
    public let moment: Timestamp

    fileprivate init(
        _ parameters: ProtocolParameters, _ accessToken: String?, by client: AuthenticatedClient, of team: TeamSnapshot,
        from origin: Origin, at moment: Timestamp
    ) {
        self.parameters = parameters
        self.accessToken = accessToken
        self.client = client
        self.team = team
        self.origin = origin
        self.moment = moment
    }
}

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

/// The only way to an endpoint for apps: authenticates the client of a request, then has the endpoint respond.
public struct ClientAuthenticator: Sendable {
    private let server: ServerContext
    private let testSignIns: TestSignInStore

    public init(server: ServerContext, database: TeamDatabase) {
        self.server = server
        testSignIns = TestSignInStore(database: database, keyRing: server.keyRing)
    }

    /// The endpoint's response to the authenticated client of a request.
    ///
    /// - Parameter accessToken: the token of the `Authorization` field, which an endpoint may want as well.
    /// - Throws: `OAuthError` when the client is not authenticated or the endpoint refuses; `PostgresFailure`.
    public func respond(
        at endpoint: some ClientEndpoint, to parameters: ProtocolParameters, accessToken: String? = nil,
        of team: TeamSnapshot, from origin: Origin
    ) async throws -> [UInt8] {
        let moment = server.clock()
        let authentication = ClientAuthentication(team: team, base: server.base(of: team.id), testSignIns: testSignIns)
        let client = try await authentication.authenticate(parameters, by: endpoint.proof(for: parameters), at: moment)
        return try await endpoint.respond(
            to: AuthenticatedRequest(parameters, accessToken, by: client, of: team, from: origin, at: moment))
    }
}

/// The registration of a group of apps at Apple: the clients Pippin acts as there, and the key that proves it.
public struct AppleRegistration: Sendable {
    /// The team of the apps in Pippin.
    public let team: TeamID
    /// The primary App ID of the group.
    public let appID: ClientID
    /// The Apple Team ID, the issuer of client secrets.
    public let teamID: AppleTeamID
    /// The Apple Services ID, the client of sign-ins on web and Android.
    public let servicesID: ClientID
    /// The bundle IDs of the group's apps, the clients of native sign-ins.
    public let bundleIDs: Set<ClientID>
    public let keyID: KeyID
    public let key: P256SigningKey

    public init(
        team: TeamID, appID: ClientID, teamID: AppleTeamID, servicesID: ClientID, bundleIDs: Set<ClientID>,
        keyID: KeyID, key: P256SigningKey
    ) {
        self.team = team
        self.appID = appID
        self.teamID = teamID
        self.servicesID = servicesID
        self.bundleIDs = bundleIDs
        self.keyID = keyID
        self.key = key
    }
}

extension TeamSnapshot {
    /// The group's registration at Apple, or nil when the group has none or the team does not offer sign-in with Apple.
    public func appleRegistration(of primaryAppID: ClientID) -> AppleRegistration? {
        identitySources.contains(.apple) ? appleRegistrations[primaryAppID] : nil
    }

    /// The group's registration at Apple for tokens issued earlier, even when sign-in with Apple is no longer offered.
    public func appleTokenRegistration(of primaryAppID: ClientID) -> AppleRegistration? {
        appleRegistrations[primaryAppID]
    }

    /// The group that Apple knows by that client ID, a bundle ID or an Apple Services ID.
    public func appleGroup(of client: ClientID) -> ClientID? {
        if let primaryAppID = apps[client]?.primaryAppID, appleRegistrations[primaryAppID] != nil {
            return primaryAppID
        }
        return appleRegistrations.values.first { $0.servicesID == client }?.appID
    }

    /// Whether users can sign in with Apple to apps of that group, or to Pippin's own pages when it is nil.
    public func offersApple(to primaryAppID: ClientID?) -> Bool {
        (primaryAppID ?? groupOfAccounts(at: .apple)).flatMap(appleRegistration) != nil
    }

    /// Whether the team offers sign-in with Apple.
    public var usesApple: Bool { identitySources.contains(.apple) }

    /// Whether any app of the team is registered at Apple, whether or not sign-in with Apple is offered at present.
    public var isRegisteredAtApple: Bool { !appleRegistrations.isEmpty }

    /// Whether users can sign in with the team's own directory.
    public var hasDirectory: Bool { identitySources.contains(.directory) }

    /// Group through which users sign in to the team's own pages: always the same one of those registered at the
    /// provider.
    public func groupOfAccounts(at provider: ProviderID) -> ClientID? {
        guard provider == .apple, usesApple else { return nil }
        return appleRegistrations.keys.min { $0.rawValue < $1.rawValue }
    }
}
