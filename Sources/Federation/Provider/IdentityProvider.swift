public import Core
public import Crypto
import Directory
public import OAuth
public import Platform

/// External provider at which users sign in.
///
/// An implementation knows the provider's protocol and verifies its answers; the engine processes the results.
public protocol IdentityProvider: UpstreamTokenService {
    /// Maximum time of all calls to the provider for one sign-in; each call times out earlier.
    var timeout: Duration { get }

    /// Keys of the provider's tokens, as last fetched: never waits, and fetches anew in the background.
    var publishedKeys: [JWK] { get }

    /// Waits a moment for the first fetch of the keys.
    func waitForFirstKeys() async

    /// URL at which a browser begins the request; nil if the request's group is not registered at the provider.
    func authorizationURL(of upstreamRequest: UpstreamRequest, in team: TeamSnapshot) -> String?

    /// Verifies a token that arrived through the browser, and returns the user it identifies.
    ///
    /// - Parameter moment: time of arrival, at which the token's times are checked.
    /// - Throws: `UpstreamFailure` for an invalid token: wrong issuer, wrong audience, forged, expired, or from another
    ///   upstream request.
    func identify(
        _ answer: UpstreamResponse, of upstreamRequest: UpstreamRequest, in team: TeamSnapshot, at moment: Timestamp
    ) async throws(UpstreamFailure) -> UpstreamIdentity

    /// Redeems the code of an answer, which works once.
    func redeem(_ code: String, of upstreamRequest: UpstreamRequest, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamRedemption
}

/// Provider whose sign-in sheet a native app can show by itself.
public protocol NativeProvider: IdentityProvider {
    /// Verifies a token that an app obtained by itself, and returns the user it identifies.
    ///
    /// - Parameters:
    ///   - code: the code that the app received with it.
    ///   - nonce: nil if the app used none.
    func identify(_ token: String, beside code: String, nonce: ExpectedNonce?, for app: ClientID, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> NativeProof

    /// Redeems a code that was issued to the app.
    ///
    /// - Parameter nonce: that of the returned token; nil if the app used none.
    func redeem(_ code: String, nonce: ExpectedNonce?, for app: ClientID, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamRedemption
}

/// Nonce that a provider's token must contain.
public struct ExpectedNonce: Sendable {
    let text: String
    /// Whether the token may contain the SHA-256 of the nonce, because libraries of native apps pass that to Apple.
    var mayBeHashed = false

    /// Whether a token's nonce is this one, or its SHA-256 in hexadecimal digits or base64 of any kind.
    func matches(_ claim: String) -> Bool {
        if ConstantTime.equal(text, claim) { return true }
        let digests = mayBeHashed ? [Hex.decode(claim), Base64.decode(eitherAlphabet: claim)].compactMap(\.self) : []
        return digests.contains { ConstantTime.equal($0, SHA256.hash(text)) }
    }
}

/// Verified content of a token that a native app handed over.
public struct NativeProof: Sendable {
    public let identity: UpstreamIdentity
    /// Whether the token itself shows that it came with the code; otherwise it may be an old token found by an
    /// attacker.
    public let namesCode: Bool
}

/// Result of redeeming a valid code.
public enum UpstreamRedemption: Sendable {
    case proved(UpstreamGrant)
    /// Nothing in the answer could be verified, and the code is spent; a token in it must still be revoked.
    case unproved(UpstreamGrant.Token?, UpstreamFailure)
}

/// Identity and refresh token that a provider returned for a code.
public struct UpstreamGrant: Sendable {
    public let identity: UpstreamIdentity
    public let token: Token?

    /// Refresh token: valid until the user or the app ends it, and to be revoked with the account.
    public struct Token: Sendable {
        let text: String
        /// The client at the provider that the code was issued to.
        let clientID: ClientID
    }
}

// Failures of providers, in the inspector.
extension TraceSink {
    /// Records an unreachable provider or an invalid response of one.
    public func fail(
        _ failure: UpstreamFailure, of interaction: Interaction, in team: TeamID, from origin: Origin,
        sent: [TraceAttribute] = []
    ) { record(failure.event(at: server.clock(), from: origin, sent: sent), of: interaction, in: team, by: nil) }

    /// Records a provider's response to values that an app handed over, and the resulting refusal.
    public func refuse(
        _ failure: UpstreamFailure, _ kind: TraceEvent.Kind, of fields: [FormCoding.Field], to team: TeamSnapshot,
        from origin: Origin
    ) {
        let earlier = failure.exchange.map { _ in failure.event(at: server.clock(), from: origin) }
        refuse(OAuthError(failure), kind, of: fields, to: team, from: origin, after: earlier)
    }
}

extension UpstreamFailure {
    /// - Parameter sent: what was sent, if the failure has no exchange.
    fileprivate func event(at moment: Timestamp, from origin: Origin, sent: [TraceAttribute] = []) -> TraceEvent {
        TraceEvent(
            .upstreamFailed, at: moment, from: origin, cause: cause, reason: reason, sent: exchange?.sent ?? sent,
            answered: exchange?.answered ?? [])
    }
}

extension OAuthError {
    /// The error for an app whose handed-over code the provider rejected, in the provider's words.
    public init(_ failure: UpstreamFailure) {
        let isOurs = failure.cause == .upstreamClient || failure.cause == .upstreamAbsent
        self.init(
            isOurs ? .invalidClient : .invalidGrant,
            failure.cause == .upstreamCode ? failure.exchange?.errorDescription : nil, cause: failure.cause,
            because: failure.reason)
    }
}

extension RefusalCause {
    /// Whether the cause is the provider's behavior or response, not the configuration in Pippin or the user's account.
    public var isProviders: Bool {
        switch self {
        case .upstreamUnreachable, .upstreamTrouble, .upstreamThrottles, .upstreamMalformed, .upstreamClient,
            .upstreamCode, .upstreamRequest, .upstreamAnswer, .upstreamRefused, .upstreamToken, .upstreamIssuer,
            .upstreamAudience, .upstreamExpired, .upstreamKey, .upstreamNonce:
            true
        default: false
        }
    }
}
