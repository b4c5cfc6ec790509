public import AuthEngine
public import Bytes
public import Directory
public import Domain
public import HTTPClient

/// Sign-ins at Apple, as one of the clients that a team has registered there.
public struct AppleProvider: NativeProvider {
    public let id = ProviderID.apple

    /// The keys may be asked for to know who it is, before the code is spent, and for what it gave.
    public var patience: Duration { service.patience.keys * 3 + service.patience.calls }

    let service: AppleService
    let keys: AppleKeys
    let calls: AppleCalls
    let clock: @Sendable () -> Timestamp

    /// - Parameter keys: those of the same service, on the same loop.
    public init(
        _ service: AppleService,
        keys: AppleKeys,
        client: HTTPClient,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.service = service
        self.keys = keys
        self.clock = clock
        calls = AppleCalls(service: service, client: client, clock: clock)
    }

    /// Whether something else than Apple is asked.
    public var isStandIn: Bool { service.issuer != AppleService.apple.issuer }

    /// Apple's authorization endpoint with values of our own alone (Apple, "Request an authorization").
    ///
    /// A token is asked for beside the code: it says who came before the code is redeemed, so that a name that comes
    /// once is kept with the person whatever happens to the code. With it, and with any scope, Apple wants form_post.
    public func authorizationURL(of trip: ProviderTrip, in team: TeamSnapshot) -> String? {
        guard let registration = team.appleRegistration(of: trip.group) else { return nil }
        let scopes = [trip.scope.name ? "name" : nil, trip.scope.email ? "email" : nil].compactMap { $0 }
        var fields = [
            FormCoding.Field("client_id", registration.servicesID.rawValue),
            FormCoding.Field("redirect_uri", trip.returnURL),
            FormCoding.Field("response_type", "code id_token"),
            FormCoding.Field("response_mode", "form_post"),
            FormCoding.Field("state", trip.state),
            FormCoding.Field("nonce", trip.nonce),
            FormCoding.Field("code_challenge", trip.codeChallenge),
            FormCoding.Field("code_challenge_method", "S256"),
        ]
        if !scopes.isEmpty { fields.append(FormCoding.Field("scope", scopes.joined(separator: " "))) }
        // Apple wants a space as %20, not as a plus sign.
        let query = FormCoding.encode(fields).replacing("+", with: "%20")
        return "\(service.authorizationURL)?\(query)"
    }

    public func identify(
        _ answer: ProviderAnswer,
        of trip: ProviderTrip,
        in team: TeamSnapshot,
        at moment: Timestamp
    ) async throws(ProviderFailure) -> ProviderIdentity {
        guard let text = answer.idToken else {
            throw ProviderFailure(.providerAnswer, .anew, because: "the answer has no id_token")
        }
        let registration = try registration(of: trip.group, in: team)
        var expectation = AppleIdentityToken.Expectation(
            issuer: service.issuer,
            audiences: [registration.servicesID]
        )
        expectation.nonces = [trip.nonce]
        expectation.companion = answer.code.map { .code($0) }
        return try await AppleIdentityToken(text, keys: keys, expecting: expectation, at: moment).identity
    }

    public func redeem(
        _ code: String,
        of trip: ProviderTrip,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderRedemption {
        let registration = try registration(of: trip.group, in: team)
        return try await redeem(
            [
                FormCoding.Field("code", code), FormCoding.Field("redirect_uri", trip.returnURL),
                FormCoding.Field("code_verifier", trip.codeVerifier),
            ],
            nonces: [trip.nonce],
            as: registration.servicesID,
            of: registration
        )
    }

    /// Apple's keys are fetched before the code is spent: without them its answer could not be believed.
    private func redeem(
        _ fields: [FormCoding.Field],
        nonces: [String]?,
        as client: ClientID,
        of registration: AppleRegistration
    ) async throws(ProviderFailure) -> ProviderRedemption {
        try await keys.prepare()
        let tokens = try await calls.tokens(
            [FormCoding.Field("grant_type", "authorization_code")] + fields,
            as: client,
            of: registration
        )
        let token = tokens.refreshToken.map { ProviderGrant.Token($0, for: client) }
        do throws(ProviderFailure) {
            let identity = try await identity(tokens, nonces, client)
            return .proved(ProviderGrant(identity: identity, token: token))
        } catch {
            return .unproved(token, error.afterSpending)
        }
    }

    private func identity(
        _ tokens: AppleCalls.Tokens,
        _ nonces: [String]?,
        _ client: ClientID
    ) async throws(ProviderFailure) -> ProviderIdentity {
        guard let text = tokens.idToken else {
            throw ProviderFailure(.providerMalformed, .anew, because: "Apple's answer has no id_token")
        }
        let expectation = AppleIdentityToken.Expectation(
            issuer: service.issuer,
            audiences: [client],
            nonces: nonces,
            mayLackNonce: true,
            companion: tokens.accessToken.map { .accessToken($0) }
        )
        return try await AppleIdentityToken(text, keys: keys, expecting: expectation, at: clock()).identity
    }

    func registration(
        of group: ClientID,
        in team: TeamSnapshot
    ) throws(ProviderFailure) -> AppleRegistration {
        guard let registration = team.appleRegistration(of: group) else {
            throw ProviderFailure(
                .providerAbsent,
                .none,
                because: "the group of \(group) is not connected to Apple"
            )
        }
        return registration
    }
}

// Native apps: Apple's client is the bundle ID, and no return URL is in play.
extension AppleProvider {
    public func identify(
        _ token: String,
        beside code: String,
        nonces: [String]?,
        for app: ClientID,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> NativeProof {
        _ = try registration(ofApp: app, in: team)
        let expectation = AppleIdentityToken.Expectation(
            issuer: service.issuer,
            audiences: [app],
            nonces: nonces,
            companion: .code(code)
        )
        let token = try await AppleIdentityToken(token, keys: keys, expecting: expectation, at: clock())
        return NativeProof(identity: token.identity, namesCode: token.namesCompanion)
    }

    public func redeem(
        _ code: String,
        nonces: [String]?,
        for app: ClientID,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderRedemption {
        try await redeem(
            [FormCoding.Field("code", code)],
            nonces: nonces,
            as: app,
            of: try registration(ofApp: app, in: team)
        )
    }

    private func registration(
        ofApp app: ClientID,
        in team: TeamSnapshot
    ) throws(ProviderFailure) -> AppleRegistration {
        let registration = try registration(of: team.client(app)?.group ?? app, in: team)
        guard registration.bundleIDs.contains(app) else {
            throw ProviderFailure(
                .providerAbsent,
                .none,
                because: "\(app) is no app of a group that is connected to Apple"
            )
        }
        return registration
    }
}
