import Bytes
import Crypto
public import Directory
public import Domain

/// One trip of a browser to a provider and back, with values of our own alone: nothing an app or a person sent goes
/// along but the scopes.
public struct ProviderTrip: Sendable {
    /// How long a person may take.
    public static let lifetime = Attempt.lifetime

    /// Names the trip to the provider and in the answer; stored as its SHA-256.
    public let state: String
    /// What the provider's token must repeat.
    public let nonce: String
    /// RFC 7636: what only we can show when the code is redeemed.
    public let codeVerifier: String
    /// The group of apps whose registration at the provider is used.
    public let group: ClientID
    public let scope: AuthorizationRequest.Scope
    /// Where the provider answers.
    public let returnURL: String

    /// The S256 challenge of `codeVerifier`.
    public var codeChallenge: String { Base64URL.encode(SHA256.hash(codeVerifier)) }

    var stateHash: [UInt8] { SHA256.hash(state) }
}

/// Makes trips, and makes them again from their `state` when the browser is back.
///
/// Nonce and verifier follow from the state under a key of ours, so neither has to be stored.
struct ProviderTrips: Sendable {
    private let context: EngineContext
    private let key: HMACSHA256

    init(context: EngineContext) {
        self.context = context
        key = HMACSHA256(key: context.keyRing.derive(purpose: "provider trips"))
    }

    func begin(
        _ provider: ProviderID,
        for group: ClientID,
        _ scope: AuthorizationRequest.Scope,
        in team: TeamID
    ) -> ProviderTrip {
        trip(Base64URL.encode(context.random.bytes(24)), provider, group, scope, team)
    }

    func trip(
        _ state: String,
        _ provider: ProviderID,
        _ group: ClientID,
        _ scope: AuthorizationRequest.Scope,
        _ team: TeamID
    ) -> ProviderTrip {
        ProviderTrip(
            state: state,
            nonce: secret("nonce", state, team),
            codeVerifier: secret("verifier", state, team),
            group: group,
            scope: scope,
            returnURL: context.returnURL(of: provider, in: team)
        )
    }

    private func secret(_ use: String, _ state: String, _ team: TeamID) -> String {
        Base64URL.encode(key.code(for: Array("\(use)\0\(team)\0\(state)".utf8).span))
    }
}

extension EngineContext {
    /// Where a provider answers, to be registered there.
    public func returnURL(of provider: ProviderID, in team: TeamID) -> String {
        "\(base(of: team))/auth/callback/\(provider.rawValue)"
    }

    /// Where a provider tells what happened to its people, to be registered there.
    public func notificationURL(of provider: ProviderID, in team: TeamID) -> String {
        "\(base(of: team))/auth/notifications/\(provider.rawValue)"
    }
}
