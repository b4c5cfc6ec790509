public import Core
public import Crypto
public import Platform
public import Postgres

/// The id of a test sign-in: 22 random base64url characters.
public struct TestSignInID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 22, Base64URL.decode(rawValue)?.count == 16 else { return nil }
        self.rawValue = rawValue
    }

    public init(random: RandomSource) { rawValue = Base64URL.encode(random.bytes(16)) }

    /// The test sign-in that a return URL belongs to: `…/trials/{id}/callback`.
    init?(returnURL: String) {
        let segments = returnURL.split(separator: "/")
        guard segments.count >= 3, segments.last == "callback", segments[segments.count - 3] == "trials" else {
            return nil
        }
        self.init(rawValue: String(segments[segments.count - 2]))
    }
}

/// A sign-in that a member of the team runs as one of its Service IDs, to inspect it step by step.
public struct TestSignIn: Sendable {
    /// Time during which its key and return URL are valid.
    public static let lifetime = Duration.seconds(600)

    public let id: TestSignInID
    public let serviceID: ClientID
    /// The SHA-256 of the session of the member who runs it, the only one that can see it.
    public let sessionHash: [UInt8]
    public let keyID: KeyID
    public let publicKeyPEM: String
    public let returnURL: String
    public let state: String
    public let nonce: String
    public let scope: AuthorizationRequest.Scope
    public let responseMode: AuthorizationRequest.ResponseMode
    public let responseType: AuthorizationRequest.ResponseType
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    /// Makes a test sign-in that is valid for ten minutes from `moment`.
    public init(
        id: TestSignInID, of serviceID: ClientID, sessionHash: [UInt8], keyID: KeyID, publicKeyPEM: String,
        returnURL: String, state: String, nonce: String, scope: AuthorizationRequest.Scope,
        responseMode: AuthorizationRequest.ResponseMode, responseType: AuthorizationRequest.ResponseType = .code,
        at moment: Timestamp
    ) {
        self.id = id
        self.serviceID = serviceID
        self.sessionHash = sessionHash
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
        self.returnURL = returnURL
        self.state = state
        self.nonce = nonce
        self.scope = scope
        self.responseMode = responseMode
        self.responseType = responseType
        createdAt = moment
        expiresAt = moment + Self.lifetime
    }
}
