import Bytes
import Domain
public import Postgres

/// An authorization request that has passed every check.
public struct AuthorizationRequest: Sendable {
    public enum ResponseType: String, SQLText, Sendable {
        case code
        case codeAndIDToken = "code id_token"
    }

    public enum ResponseMode: String, SQLText, Sendable {
        case query
        case fragment
        case formPost = "form_post"
        /// To the window that opened this one, as Apple's JS library wants it.
        case webMessage = "web_message"
    }

    /// What the client asks to be told of the person.
    public struct Scope: Equatable, Sendable {
        public let name: Bool
        public let email: Bool

        public init(name: Bool, email: Bool) {
            self.name = name
            self.email = email
        }
    }

    public let client: Client
    public let redirectURI: String
    public let responseType: ResponseType
    public let responseMode: ResponseMode
    public let scope: Scope
    public let state: String?
    public let nonce: String?
    /// S256 of RFC 7636.
    public let codeChallenge: String?
    /// The trial this request belongs to, when its return URL is a trial's.
    public let trial: TrialID?
    /// Whom the client expects (OpenID Connect Core section 3.1.2.1).
    public let loginHint: String?
    /// The languages it asks for, tags joined by spaces: `ui_locales` of OpenID Connect, else Apple's `locale`.
    public let locales: String?
    /// All of it as it came, for the team's inspector; empty where no app sent anything.
    let sent: [FormCoding.Field]

    /// Octets of what its sender wrote that are kept while the sign-in lasts.
    public var keptOctets: Int {
        let kept: [String?] = [redirectURI, state, nonce, codeChallenge, loginHint]
        return kept.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// A request that goes nowhere: the person sees a page, the team learns the reason.
public struct AuthorizationRefusal: Error, Equatable, Sendable {
    public let error: OAuthError.Code
    public let reason: String
    /// The same, as the team's inspector explains and counts it.
    public let cause: RefusalCause
    /// What the team could have meant, when something registered is close.
    public let hint: String?

    init(
        _ error: OAuthError.Code,
        cause: RefusalCause = .other,
        because reason: String,
        hint: String? = nil
    ) {
        self.error = error
        self.cause = cause
        self.reason = reason
        self.hint = hint
    }

    /// A request whose parameters cannot even be judged.
    public init(_ error: OAuthError) {
        self.init(error.code, cause: error.cause, because: error.reason)
    }
}
