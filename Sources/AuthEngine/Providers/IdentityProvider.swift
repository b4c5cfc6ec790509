public import Bytes
public import Directory
public import Domain

/// A place outside where people prove who they are.
///
/// It knows how that place is spoken to and what its answers are worth; what becomes of them is the engine's.
public protocol IdentityProvider: ProviderLifeCycle {
    /// How long all that one sign-in asks of the provider may take; each call ends before.
    var patience: Duration { get }

    /// Where a browser begins its trip; nil when the trip's group of apps is not registered there.
    func authorizationURL(of trip: ProviderTrip, in team: TeamSnapshot) -> String?

    /// Whom a token that came through the browser is about.
    ///
    /// - Parameter moment: when it came, by which its times are judged.
    /// - Throws: `ProviderFailure` for a token that proves nothing: of another issuer, for somebody else, forged, too
    ///   old, or from another trip.
    func identify(
        _ answer: ProviderAnswer,
        of trip: ProviderTrip,
        in team: TeamSnapshot,
        at moment: Timestamp
    ) async throws(ProviderFailure) -> ProviderIdentity

    /// Redeems the code of an answer, which works once.
    func redeem(
        _ code: String,
        of trip: ProviderTrip,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderRedemption
}

/// A provider whose sheet a native app may show by itself.
public protocol NativeProvider: IdentityProvider {
    /// Whom a token is about that the app got for itself.
    ///
    /// - Parameters:
    ///   - code: what the app got with it.
    ///   - nonces: the forms the token's nonce may have; nil where the app made none.
    func identify(
        _ token: String,
        beside code: String,
        nonces: [String]?,
        for app: ClientID,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> NativeProof

    /// Redeems a code that was given to the app.
    ///
    /// - Parameter nonces: the forms the nonce may have of what comes with it; nil where the app made none.
    func redeem(
        _ code: String,
        nonces: [String]?,
        for app: ClientID,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderRedemption
}

/// What a token proves that a native app handed over.
public struct NativeProof: Sendable {
    public let identity: ProviderIdentity
    /// Whether the token says itself that it came with the code: else it may be an old one that somebody found.
    public let namesCode: Bool

    public init(identity: ProviderIdentity, namesCode: Bool) {
        self.identity = identity
        self.namesCode = namesCode
    }
}

/// What a provider answered to a code that was good.
public enum ProviderRedemption: Sendable {
    case proved(ProviderGrant)
    /// Nothing in the answer can be believed, and the code is spent; a token in it is to be given back all the same.
    case unproved(ProviderGrant.Token?, ProviderFailure)
}

/// What a provider gave for a code.
public struct ProviderGrant: Sendable {
    public let identity: ProviderIdentity
    public let token: Token?

    /// A refresh token: good until the person or the app ends it, and to be revoked with the account.
    public struct Token: Sendable {
        let text: String
        /// The client at the provider that the code was given to.
        let clientID: ClientID

        public init(_ text: String, for clientID: ClientID) {
            self.text = text
            self.clientID = clientID
        }
    }

    public init(identity: ProviderIdentity, token: Token?) {
        self.identity = identity
        self.token = token
    }
}
