import Core
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
