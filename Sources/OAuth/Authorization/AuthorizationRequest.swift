import Core
public import Platform
public import Postgres
import Registry

/// An authorization request that has passed every check, as it is stored with its interaction.
public struct AuthorizationRequest: Sendable {
    public enum ResponseType: String, SQLText, Sendable {
        case code
        case codeAndIDToken = "code id_token"
    }

    public enum ResponseMode: String, SQLText, Sendable {
        case query
        case fragment
        case formPost = "form_post"
        /// A message to the window that opened this one, as Apple's JS library expects.
        case webMessage = "web_message"
    }

    /// The user data that the client requests.
    public struct Scope: Equatable, Sendable {
        /// All that there is to request.
        public static let all = Scope(name: true, email: true)

        public let name: Bool
        public let email: Bool

        public init(name: Bool, email: Bool) {
            self.name = name
            self.email = email
        }
    }

    public let clientID: ClientID
    public let primaryAppID: ClientID
    public let redirectURI: String
    public let responseType: ResponseType
    public let responseMode: ResponseMode
    public let scope: Scope
    public internal(set) var state: String?
    public let nonce: String?
    /// The S256 challenge of RFC 7636.
    public let codeChallenge: String?
    /// The test sign-in of the request's return URL; nil for a registered return URL.
    public let testSignIn: TestSignInID?
    /// The user that the client expects (OpenID Connect Core section 3.1.2.1).
    public let loginHint: String?
}

extension ProtocolParameters {
    /// Requested language tags, separated by spaces: `ui_locales` of OpenID Connect, else Apple's `locale`.
    public var locales: String? { self["ui_locales"] ?? self["locale"] }
}

extension AuthorizationRequest {
    /// The query by which the app would send the same request again.
    public var query: String {
        let values: [(String, String?)] = [
            ("client_id", clientID.rawValue), ("redirect_uri", redirectURI), ("response_type", responseType.rawValue),
            ("response_mode", responseMode.rawValue), ("scope", scope.text.isEmpty ? nil : scope.text),
            ("state", state), ("nonce", nonce), ("code_challenge", codeChallenge),
            ("code_challenge_method", codeChallenge == nil ? nil : "S256"),
        ]
        return FormCoding.encode(values.compactMap { name, value in value.map { (name: name, value: $0) } })
    }

    /// The request of a native sign-in on a device: no page and no return URL.
    public static func native(_ client: Client, nonce: String?) -> AuthorizationRequest {
        AuthorizationRequest(
            clientID: client.id, primaryAppID: client.primaryAppID, redirectURI: "", responseType: .codeAndIDToken,
            responseMode: .formPost, scope: .all, state: nil, nonce: nonce, codeChallenge: nil, testSignIn: nil,
            loginHint: nil)
    }
}

extension AuthorizationRequest.Scope {
    /// The value of the parameter `scope`; empty when nothing is requested.
    public var text: String { [name ? "name" : nil, email ? "email" : nil].compactMap(\.self).joined(separator: " ") }
}

// The rules for authorization requests, each where its parameter is read.
extension AuthorizationRequest {
    /// Reads the parameters of a request to `client`.
    ///
    /// The client and the return URL come first, because no response may be sent to a return URL before it is known to
    /// belong to the client.
    ///
    /// - Parameter testSignIn: the test sign-in whose return URL the request names; nil for any other request.
    init(_ parameters: ProtocolParameters, to client: Client, _ testSignIn: TestSignIn?) throws(AuthorizationRefusal) {
        guard client.isEnabled else {
            throw AuthorizationRefusal(
                .invalidClient, cause: .clientDisabled, because: "sign-in is switched off for \(client.id)")
        }
        let redirectURI = try Self.redirectURI(parameters, of: client, testSignIn)
        let responseType = try ResponseType(parameters)
        let responseMode = try ResponseMode(parameters, for: responseType)
        self.init(
            clientID: client.id, primaryAppID: client.primaryAppID, redirectURI: redirectURI,
            responseType: responseType, responseMode: responseMode, scope: try Scope(parameters, by: responseMode),
            state: try parameters.line("state"), nonce: parameters["nonce"],
            codeChallenge: try Self.codeChallenge(parameters, of: client), testSignIn: testSignIn?.id,
            loginHint: parameters["login_hint"].flatMap { $0.utf8.count <= Self.longestHint ? $0 : nil })
    }

    /// Longest login hint in octets: the limit of an email address (RFC 5321 section 4.5.3.1); longer ones are ignored.
    private static var longestHint: Int { 320 }

    /// Requires a registered return URL, compared byte for byte (RFC 9700 section 4.1.3), and one on a verified domain
    /// where the team asks for that.
    private static func redirectURI(_ parameters: ProtocolParameters, of client: Client, _ testSignIn: TestSignIn?)
        throws(AuthorizationRefusal) -> String
    {
        guard let url = parameters["redirect_uri"] else {
            throw AuthorizationRefusal(.invalidRequest, cause: .returnURLMissing, because: "redirect_uri is missing")
        }
        if testSignIn != nil { return url }
        guard client.hasReturnURL(url) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .returnURLUnregistered,
                because: "\(url.withoutSecrets) is not a return URL of \(client.id)", hint: hint(url, client))
        }
        guard !client.isUnproven(url) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .domainUnverified, because: "\(url.withoutSecrets) is on no verified domain",
                hint: "this team requires verified domains; verify the domain on the page of \(client.id)")
        }
        return url
    }

    private static func hint(_ url: String, _ client: Client) -> String {
        guard let comparison = ReturnURLComparison(url, with: client.returnURLs) else {
            return "no return URL is registered"
        }
        let differences = comparison.differences.map { "\($0)" }.joined(separator: ", ")
        return "differs from \(comparison.nearest) in \(differences)"
    }

    /// Reads a code challenge with S256 (RFC 7636 section 4.2); `plain` is rejected, because it gives no protection.
    private static func codeChallenge(_ parameters: ProtocolParameters, of client: Client) throws(AuthorizationRefusal)
        -> String?
    {
        let method = parameters["code_challenge_method"]
        guard let challenge = parameters["code_challenge"] else {
            guard method == nil else {
                throw AuthorizationRefusal(
                    .invalidRequest, cause: .challengeMissing, because: "code_challenge is missing")
            }
            guard !client.requiresPKCE else {
                throw AuthorizationRefusal(.invalidRequest, cause: .pkceRequired, because: "\(client.id) requires PKCE")
            }
            return nil
        }
        guard method == "S256" else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .challengeMethod, because: "code_challenge_method must be S256")
        }
        guard PKCE.isChallenge(challenge) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .challengeMalformed, because: "code_challenge is not a SHA-256")
        }
        return challenge
    }
}

extension AuthorizationRequest.ResponseType {
    /// Reads `response_type`; like Apple, rejects `id_token` alone.
    fileprivate init(_ parameters: ProtocolParameters) throws(AuthorizationRefusal) {
        switch parameters["response_type"].map({ Set($0.split(separator: " ")) }) {
        case ["code"]: self = .code
        case ["code", "id_token"]: self = .codeAndIDToken
        default:
            throw AuthorizationRefusal(
                .invalidRequest, cause: .responseType, because: "response_type must be code or code id_token")
        }
    }
}

extension AuthorizationRequest.ResponseMode {
    /// Reads `response_mode`; the default is OpenID Connect's: query for a code, fragment when a token is added.
    ///
    /// Tokens never go into a query (OAuth 2.0 Multiple Response Types, section 5).
    fileprivate init(_ parameters: ProtocolParameters, for type: AuthorizationRequest.ResponseType)
        throws(AuthorizationRefusal)
    {
        let text = parameters["response_mode"]
        let mode = text.map(Self.init(rawValue:)) ?? (type == .codeAndIDToken ? .fragment : .query)
        guard let mode else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .responseMode,
                because: "response_mode must be query, fragment, form_post or web_message")
        }
        guard type == .code || mode != .query else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .idTokenInQuery, because: "id_token is never answered by query")
        }
        self = mode
    }
}

extension AuthorizationRequest.Scope {
    /// Reads `scope`; `openid` is accepted without effect, because several clients send it.
    ///
    /// Scopes need form_post, as at Apple since August 2019, or web_message, which Apple's JS library sends.
    fileprivate init(_ parameters: ProtocolParameters, by mode: AuthorizationRequest.ResponseMode)
        throws(AuthorizationRefusal)
    {
        let names = (parameters["scope"]?.split(separator: " ") ?? []).filter { $0 != "openid" }
        guard names.isEmpty || mode == .formPost || mode == .webMessage else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .scopeNeedsFormPost,
                because: "response_mode must be form_post when name or email scope is requested")
        }
        if let unknown = names.first(where: { $0 != "name" && $0 != "email" }) {
            throw AuthorizationRefusal(
                .invalidScope, cause: .scopeUnknown,
                because: "\(Redaction.text(String(unknown), limit: 40)) is none of the scopes name, email and openid")
        }
        self.init(name: names.contains("name"), email: names.contains("email"))
    }
}
