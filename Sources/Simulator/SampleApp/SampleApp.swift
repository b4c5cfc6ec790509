// SampleApp: the demo's app, written as any team's app would be: it uses only Pippin's public endpoints.
//
// Owns: an authorization request, a callback, the redemption of a code, the check of an id_token.
// Must not know: anything inside Pippin.
// Standards: Apple's Sign in with Apple REST API, as a client; OpenID Connect Core 1.0 section 3.1.3.7.

import Core
public import Crypto
public import HTTP
public import SignIn
public import Templates

/// The demo's sample app on one loop.
public struct SampleApp: Sendable {
    /// Registration that a team configures in its app.
    public struct Registration: Sendable {
        public let teamID: String
        public let clientID: String
        public let keyID: String
        public let key: P256SigningKey
        public let name: String
        /// The team's issuer at Pippin, `{public-url}/t/{TEAMID}`.
        public let issuer: String
        /// The app's own origin.
        public let origin: String
        /// Email address of the demo's user.
        public let email: String
        public let password: String

        public init(
            teamID: String, clientID: String, keyID: String, key: P256SigningKey, name: String, issuer: String,
            origin: String, email: String, password: String
        ) {
            self.teamID = teamID
            self.clientID = clientID
            self.keyID = keyID
            self.key = key
            self.name = name
            self.issuer = issuer
            self.origin = origin
            self.email = email
            self.password = password
        }

        public var returnURL: String { origin + SampleApp.callback.link() }
    }

    public static let home = Route("/demo")
    static let start = Route("/demo/sign-in")
    static let callback = Route("/demo/callback")

    let registration: Registration
    let provider: Provider
    let states: SignedStates
    let site: Site

    public init(_ registration: Registration, client: HTTPClient, site: Site, keyRing: KeyRing) {
        self.registration = registration
        self.site = site
        provider = Provider(registration: registration, client: client)
        states = SignedStates(keyRing: keyRing)
    }

    /// Adds the app's pages.
    ///
    /// The callback is a cross-site POST, so it cannot rely on a cookie.
    public func mount(on router: inout Router) {
        router.get(Self.home) { _ in home() }
        router.get(Self.start) { _ in .redirect(to: authorizationURL(), status: .found) }
        router.post(Self.callback, .form) { request in try await receive(try request.form()) }
    }

    public static var views: [any View.Type] { [SampleHomePage.self, SampleResultPage.self] }

    private func home(error: Message? = nil) -> Response {
        let page = SampleHomePage(frame: frame(registration.name), registration: registration, error: error)
        return site.respond(page, status: error == nil ? .ok : .badRequest)
    }

    private func frame(_ title: any LocalizedTextConvertible) -> SampleFrame {
        SampleFrame(title: title.localizedText, assets: site.assets, appName: registration.name)
    }

    private func authorizationURL() -> String {
        let state = states.make(at: .now())
        let query = FormCoding.encode([
            .init("client_id", registration.clientID), .init("redirect_uri", registration.returnURL),
            .init("response_type", "code"), .init("response_mode", "form_post"), .init("scope", "name email"),
            .init("state", state.text), .init("nonce", state.nonce),
        ])
        return "\(registration.issuer)/auth/authorize?\(query)"
    }

    private func receive(_ form: Form) async throws -> Response {
        if form["error"] == "user_cancelled_authorize" {
            return home(error: Message("sample.app.problem.cancelled", ["app": registration.name]))
        }
        guard let state = states.verify(form["state"], at: .now()) else {
            return home(error: Message("sample.app.problem.state"))
        }
        guard let code = form["code"] else { return home(error: Message("sample.app.problem.code")) }
        do {
            let redemption = try await provider.redeem(code, nonce: state.nonce, at: .now())
            let page = SampleResultPage(
                frame: frame(Message("sample.app.result.title", ["app": registration.name])), redemption: redemption,
                user: form["user"])
            return site.respond(page)
        } catch { return home(error: Message("sample.app.problem.redemption", ["cause": "\(describing: error)"])) }
    }
}

/// Self-contained `state` values, which an app without a store and cookies can verify as its own.
struct SignedStates: Sendable {
    private static let lifetime = Duration.seconds(1200)

    private let tokens: OpaqueToken

    /// A state with its nonce.
    struct State: Sendable {
        let text: String
        let nonce: String
    }

    init(keyRing: KeyRing) { tokens = OpaqueToken(prefix: "s", keys: keyRing.deriveAll(purpose: "sample-app-states")) }

    func make(at moment: Timestamp) -> State {
        let random = RandomSource.system.bytes(16)
        var payload = random
        for shift in stride(from: 56, through: 0, by: -8) {
            payload.append(UInt8(truncatingIfNeeded: moment.microseconds >> Int64(shift)))
        }
        return State(text: tokens.mint(payload: payload), nonce: Self.nonce(random))
    }

    /// The state of a sign-in, with its nonce; nil if it is invalid or older than its lifetime.
    func verify(_ text: String?, at moment: Timestamp) -> State? {
        guard let text, let payload = tokens.open(text), payload.count == 24 else { return nil }
        let began = Timestamp(microseconds: payload[16...].reduce(0) { $0 << 8 | Int64($1) })
        guard moment - began < Self.lifetime else { return nil }
        return State(text: text, nonce: Self.nonce(Array(payload.prefix(16))))
    }

    private static func nonce(_ random: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(random).prefix(16))) }
}
