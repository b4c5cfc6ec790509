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
        } catch { return home(error: Message("sample.app.problem.redemption", ["cause": "\(error)"])) }
    }
}

/// Pippin as the sample app uses it: a token endpoint and a key set.
struct Provider: Sendable {
    let registration: SampleApp.Registration
    let client: HTTPClient

    /// Result of redeeming a code.
    struct Redemption: Sendable {
        /// Response of the token endpoint, as JSON.
        let answer: String
        let claims: [(name: String, value: String)]
        let givenEmail: String?
    }

    /// Reason why a code could not be redeemed.
    enum Failure: Error, CustomStringConvertible {
        case refused(status: Int, body: String)
        case unreachable(String)
        case badToken(String)

        var description: String {
            switch self {
            case .refused(let status, let body): "the token address answered \(status): \(body)"
            case .unreachable(let reason): "Pippin cannot be reached (\(reason))"
            case .badToken(let reason): "the id_token is not good (\(reason))"
            }
        }
    }

    /// Redeems `code` and checks the ID token as OpenID Connect Core section 3.1.3.7 requires.
    func redeem(_ code: String, nonce: String, at moment: Timestamp) async throws -> Redemption {
        let body = FormCoding.encode([
            .init("grant_type", "authorization_code"), .init("code", code),
            .init("redirect_uri", registration.returnURL), .init("client_id", registration.clientID),
            .init("client_secret", try secret(at: moment)),
        ])
        let answer = try await call("POST", "/auth/token", Array(body.utf8))
        guard let json = try? JSON.decode(JSONValue.self, from: answer), let token = json["id_token"]?.string else {
            throw Failure.badToken("there is none")
        }
        let claims = try await verify(token, nonce: nonce, at: moment)
        let text = String(decoding: JSON.encode(json, pretty: true), as: UTF8.self)
        return Redemption(
            answer: text, claims: claims.members.map { ($0.key, Self.text($0.value)) }.sorted { $0.0 < $1.0 },
            givenEmail: try? claims.string("email"))
    }

    private func secret(at moment: Timestamp) throws -> String {
        var json = JSONWriter()
        json.member("iss", registration.teamID)
        json.member("iat", moment.seconds)
        json.member("exp", moment.seconds + 300)
        json.member("aud", registration.issuer)
        json.member("sub", registration.clientID)
        return try JWTSigner(key: registration.key, keyID: registration.keyID).sign(json.finish())
    }

    private func verify(_ token: String, nonce: String, at moment: Timestamp) async throws -> Claims {
        let keys = try JWKSet(json: try await call("GET", "/auth/keys", []))
        let jwt = try UnverifiedJWT(token)
        guard let keyID = jwt.header.keyID, let key = keys.key(id: keyID, algorithm: .rs256) as? RSAPublicKey else {
            throw Failure.badToken("its key is not published")
        }
        let claims = try jwt.verify(with: key)
        guard try claims.string("iss") == registration.issuer else { throw Failure.badToken("another issuer") }
        guard try claims.audience() == [registration.clientID] else { throw Failure.badToken("another audience") }
        guard try claims.date("exp").timestamp > moment else { throw Failure.badToken("it has expired") }
        guard try claims.string("nonce") == nonce else { throw Failure.badToken("another nonce") }
        return claims
    }

    private func call(_ method: String, _ path: String, _ body: [UInt8]) async throws -> [UInt8] {
        let request = ClientRequest(
            method, registration.issuer + path,
            fields: body.isEmpty ? [] : [("Content-Type", "application/x-www-form-urlencoded")], body: body,
            addresses: .publicAndLoopback)
        let response: ClientResponse
        do { response = try await client.send(request) } catch { throw Failure.unreachable("\(error)") }
        guard response.status == 200 else {
            throw Failure.refused(status: response.status, body: String(decoding: response.body, as: UTF8.self))
        }
        return response.body
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        default: String(decoding: JSON.encode(value), as: UTF8.self)
        }
    }
}
