import Core
public import Platform
public import Postgres

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
    public let state: String?
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

extension AuthorizationRequest.ResponseType {
    init?(_ parameters: ProtocolParameters) {
        switch parameters["response_type"].map({ Set($0.split(separator: " ")) }) {
        case ["code"]: self = .code
        case ["code", "id_token"]: self = .codeAndIDToken
        default: return nil
        }
    }
}

extension AuthorizationRequest.ResponseMode {
    /// Reads `response_mode`; the default is OpenID Connect's: query for a code, fragment when a token is added.
    init?(_ parameters: ProtocolParameters) {
        guard let text = parameters["response_mode"] else {
            self = AuthorizationRequest.ResponseType(parameters) == .codeAndIDToken ? .fragment : .query
            return
        }
        self.init(rawValue: text)
    }
}

extension AuthorizationRequest.Scope {
    static func names(_ parameters: ProtocolParameters) -> [Substring] {
        parameters["scope"]?.split(separator: " ") ?? []
    }

    init(_ parameters: ProtocolParameters) {
        let names = Self.names(parameters)
        self.init(name: names.contains("name"), email: names.contains("email"))
    }
}
