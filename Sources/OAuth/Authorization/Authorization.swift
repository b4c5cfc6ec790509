public import Core
import Directory
public import Platform
import Postgres

/// Validation of authorization requests: parameters in, a valid request or a refusal out.
public struct Authorization: Sendable {
    private let testSignIns: TestSignInStore

    public init(testSignIns: TestSignInStore) { self.testSignIns = testSignIns }

    /// Validates a request to `team`.
    ///
    /// - Throws: `AuthorizationRefusal`, or `PostgresFailure` when the look-up of a test sign-in fails.
    public func judge(_ parameters: ProtocolParameters, to team: TeamSnapshot, at moment: Timestamp) async throws
        -> AuthorizationRequest
    {
        guard let text = parameters["client_id"] else {
            throw AuthorizationRefusal(.invalidRequest, cause: .clientMissing, because: "client_id is missing")
        }
        guard let id = ClientID(rawValue: text), let client = team.client(id) else {
            throw AuthorizationRefusal(.invalidClient, cause: .client(text), because: ClientID.refusal(text))
        }
        let testSignIn = try await testSignIn(of: client, parameters["redirect_uri"], in: team, at: moment)
        let input = AuthorizationInput(parameters: parameters, client: client, testSignIn: testSignIn)
        for check in AuthorizationCheck.all { try check.judge(input) }
        return try request(input)
    }

    /// Finds the test sign-in of an unregistered return URL; a registered one costs no look-up.
    private func testSignIn(of client: Client, _ redirectURI: String?, in team: TeamSnapshot, at moment: Timestamp)
        async throws(PostgresFailure) -> TestSignIn?
    {
        guard let url = redirectURI, !client.hasReturnURL(url), let id = TestSignInID(returnURL: url) else {
            return nil
        }
        guard let testSignIn = try await testSignIns.find(id, in: team.id, at: moment) else { return nil }
        return testSignIn.returnURL.isExactly(url) && testSignIn.serviceID == client.id ? testSignIn : nil
    }

    /// Longest login hint in octets: the limit of an email address (RFC 5321 section 4.5.3.1); longer ones are ignored.
    private static let longestHint = 320

    private func request(_ input: AuthorizationInput) throws(AuthorizationRefusal) -> AuthorizationRequest {
        let parameters = input.parameters
        guard let redirectURI = parameters["redirect_uri"], let type = AuthorizationRequest.ResponseType(parameters),
            let mode = AuthorizationRequest.ResponseMode(parameters)
        else { throw AuthorizationRefusal(.invalidRequest, because: "the request is incomplete") }
        return AuthorizationRequest(
            clientID: input.client.id, primaryAppID: input.client.primaryAppID, redirectURI: redirectURI,
            responseType: type, responseMode: mode, scope: AuthorizationRequest.Scope(parameters),
            state: parameters["state"], nonce: parameters["nonce"], codeChallenge: parameters["code_challenge"],
            testSignIn: input.testSignIn?.id,
            loginHint: parameters["login_hint"].flatMap { $0.utf8.count <= Self.longestHint ? $0 : nil })
    }
}

/// The authorization response: only requested values, and `state` when the client sent one (RFC 6749 section 4.1.2).
public struct AuthorizationResponse: Sendable {
    public let clientID: ClientID
    public let redirectURI: String
    public let mode: AuthorizationRequest.ResponseMode
    /// Names and values in the order of the response.
    public private(set) var parameters: [(name: String, value: String)]

    init(_ request: AuthorizationRequest, _ parameters: [(String, String)]) {
        clientID = request.clientID
        redirectURI = request.redirectURI
        mode = request.responseMode
        self.parameters = parameters.map { (name: $0.0, value: $0.1) } + (request.state.map { [("state", $0)] } ?? [])
    }

    /// Replaces the value of a parameter; does nothing when the parameter is absent.
    public mutating func replace(_ name: String, with change: (String) throws -> String) rethrows {
        guard let index = parameters.firstIndex(where: { $0.name == name }) else { return }
        parameters[index].value = try change(parameters[index].value)
    }

    /// The return URL with the parameters in its query or fragment; the return URL alone for form_post and web_message.
    public var location: String {
        let coded = FormCoding.encode(parameters)
        switch mode {
        case .formPost, .webMessage: return redirectURI
        case .fragment: return "\(redirectURI)#\(coded)"
        case .query: return "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(coded)"
        }
    }
}

/// The `user` parameter: JSON text with the requested parts, sent until it has been delivered once.
public struct UserDelivery: Sendable {
    public let json: String

    /// Makes the parameter, or nil when neither name nor email was requested.
    public init?(_ identity: SharedIdentity) {
        guard identity.userName != nil || identity.userEmail != nil else { return nil }
        var user = JSONWriter(capacity: 256)
        if let name = identity.userName {
            var parts = JSONWriter(capacity: 128)
            parts.member("firstName", name.given)
            parts.member("lastName", name.family)
            user.member("name", raw: parts.finish())
        }
        if let email = identity.userEmail { user.member("email", email.address.rawValue) }
        json = String(decoding: user.finish(), as: UTF8.self)
    }
}

// The response as a message to the opening window, as Apple's JS library 1.5.6 reads it: JSON text and target origin.
extension AuthorizationResponse {
    /// The message: `{"method":"oauthDone","data":{…}}`.
    public var message: String {
        var message = JSONWriter(capacity: 1024)
        message.member("method", "oauthDone")
        message.member("data", raw: data)
        return String(decoding: message.finish(), as: UTF8.self)
    }

    /// The only origin that may read the message: scheme, host and port of the return URL (RFC 6454 section 4).
    public var origin: String {
        guard let colon = redirectURI.firstRange(of: "://") else { return redirectURI }
        let end = redirectURI[colon.upperBound...].firstIndex { "/?#".contains($0) }
        return String(redirectURI[..<(end ?? redirectURI.endIndex)])
    }

    /// An error with `state`, or `authorization` with all response parameters except `user`, which is beside it.
    private var data: [UInt8] {
        var data = JSONWriter(capacity: 1024)
        if let error = value(of: "error") {
            data.member("error", error)
            if let state = value(of: "state") { data.member("state", state) }
            return data.finish()
        }
        var authorization = JSONWriter(capacity: 512)
        if let code = value(of: "code") { authorization.member("code", code) }
        if let token = value(of: "id_token") { authorization.member("id_token", token) }
        if let state = value(of: "state") { authorization.member("state", state) }
        data.member("authorization", raw: authorization.finish())
        // `user` is JSON already and is inserted as an object, not as a string.
        if let user = value(of: "user") { data.member("user", raw: Array(user.utf8)) }
        return data.finish()
    }

    private func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }
}
